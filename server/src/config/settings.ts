// The one table of settings. Defaults, environment names, the settings file, `--help` and the table in the docs all come from it.
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { replicas, replicasPorts } from './replicas.ts';
import { upstreams } from './upstreams.ts';
import {
  bodyBytes,
  duration,
  embedder,
  engineBytes,
  limit,
  networks,
  oneOf,
  origins,
  ownKey,
  path,
  proxies,
  storageBytes,
  wholeNumber,
} from './values.ts';

/** The root of the checkout: holds the product's own files and, by default, the data. */
export const checkout = resolve(import.meta.dirname, '../../..');

interface Setting<Schema extends z.ZodType<unknown, string | undefined> = z.ZodType<unknown, string | undefined>> {
  doc: string;
  /** The default, as a user would write it. */
  preset: string | ((home: string) => string);
  schema: Schema;
  secret?: boolean;
  /** Text of the preset in the docs, if it depends on the machine. */
  presetDoc?: string;
}

const setting = <Schema extends z.ZodType<unknown, string | undefined>>(value: Setting<Schema>) => value;

export const settings = {
  home: setting({
    doc: 'The folder of all data: database, files, models, logs.',
    preset: join(checkout, 'data'),
    presetDoc: '`data` in the checkout',
    schema: path,
  }),
  config: setting({
    doc: 'A file of settings, one `NAME=value` a line, with the names of this table.',
    preset: (home) => join(home, 'lorekeep.env'),
    presetDoc: '`lorekeep.env` in the home, where there is one',
    schema: path,
  }),
  host: setting({
    doc: 'The address to listen on. The default can be reached from this machine alone.',
    preset: '127.0.0.1',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9.:_-]+$/)
      .describe('an IP address or a host name'),
  }),
  port: setting({
    doc: 'The port to listen on; 0 takes any that is free.',
    preset: '8080',
    schema: wholeNumber(0, 65535),
  }),
  trusted_proxies: setting({
    doc: 'Trusted proxies in front of the server, whose `X-Forwarded-For` gives the address of a client: wrong passwords are counted for each address.',
    preset: 'loopback',
    schema: proxies,
  }),
  cors_origins: setting({
    doc: 'The sites whose pages may call the API from a browser (CORS), each with a key that it sends: such a key is in the hands of everybody who opens the page. Pages of this server need none of it.',
    preset: 'none',
    schema: origins,
  }),
  database_url: setting({
    doc: 'The database: `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`.',
    preset: (home) => `sqlite:${join(home, 'lorekeep.db')}`,
    presetDoc: '`sqlite:lorekeep.db` in the home',
    secret: true,
    schema: z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/)
      .describe('sqlite:PATH or postgres://...'),
  }),
  storage: setting({
    doc: 'Where datasets, documents, vectors of indexes, tuned models and the facts of jobs are kept: `folder` is the home, `s3://BUCKET` or `s3://BUCKET/PREFIX` a storage that speaks S3 ([guide](../guide/object-storage.md)).',
    preset: 'folder',
    schema: z
      .string()
      .regex(/^(folder|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?)$/)
      .describe('folder, or a bucket and the beginning of its names such as s3://lorekeep/production'),
  }),
  storage_endpoint: setting({
    doc: 'With `storage` `s3://...`: the address of the storage, such as `http://10.0.0.5:9000`.',
    preset: '',
    presetDoc: 'that of Amazon for the region',
    schema: z
      .string()
      .regex(/^(https?:\/\/[^\s@?#/]+(\/[^\s@?#]*)?)?$/)
      .refine((text) => text === '' || URL.canParse(text))
      .describe('an address such as http://10.0.0.5:9000, without a name or password in it'),
  }),
  storage_region: setting({
    doc: 'The region of the bucket.',
    preset: 'us-east-1',
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/)
      .describe('the name of a region such as eu-central-1'),
  }),
  storage_addressing: setting({
    doc: 'Where the bucket stands in addresses: `path` after the host, `host` before it; `auto` is `path` with `storage_endpoint`, else `host`.',
    preset: 'auto',
    schema: oneOf('auto', 'path', 'host'),
  }),
  storage_credentials: setting({
    doc: 'A file with `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, of keys that expire, `AWS_SESSION_TOKEN`: lines of `NAME=value`, or a file of credentials of the AWS tools. It is read anew each minute, so that keys can be rotated.',
    preset: '',
    presetDoc: 'none: the environment variables of these names',
    schema: z
      .string()
      .transform((text) => (text === '' ? '' : resolve(text)))
      .describe('a path'),
  }),
  admin_key: setting({
    doc: 'For scripts and containers: at every start a key of the operator with this value exists, and one made from an earlier value is revoked.',
    preset: '',
    presetDoc: 'none',
    secret: true,
    schema: ownKey,
  }),
  contact: setting({
    doc: 'The contact for higher limits, named in errors about limits.',
    preset: 'the operator of this installation',
    schema: z.string().min(1).max(200).describe('a text of 1 to 200 characters'),
  }),
  slots: setting({
    doc: 'How many tuning processes may run at once on this machine; `auto` is one for every GPU that the engine computes on, else for every two cores, 0 leaves tuning to other servers.',
    preset: 'auto',
    schema: z.union([z.literal('auto'), wholeNumber(0, 1024)]).describe('a whole number from 0 to 1024, or auto'),
  }),
  cluster: setting({
    doc: 'Where tuning jobs run: `local` is processes of this machine, `ray` a Ray cluster ([guide](../guide/cluster.md)).',
    preset: 'local',
    schema: oneOf('local', 'ray'),
  }),
  ray_address: setting({
    doc: 'With `cluster` `ray`: the address of the dashboard of its head, such as `http://10.0.0.5:8265`.',
    preset: '',
    presetDoc: 'none',
    schema: z
      .string()
      .regex(/^(https?:\/\/[^\s@?#/]+(\/[^\s@?#]*)?)?$/)
      .describe('an address such as http://10.0.0.5:8265, without a name or password in it'),
  }),
  ray_token_file: setting({
    doc: 'A file with the token of the cluster (`RAY_AUTH_TOKEN`), read for each call, so that it can be rotated.',
    preset: '',
    presetDoc: 'none',
    schema: z
      .string()
      .transform((text) => (text === '' ? '' : resolve(text)))
      .describe('a path'),
  }),
  ray_python: setting({
    doc: 'The program on the nodes of the cluster that has Ray and the packages of the engine.',
    preset: 'python',
    schema: z
      .string()
      .regex(/^[\x20-\x7e]{1,1000}$/)
      .describe('the name or the path of a program'),
  }),
  ray_resource: setting({
    doc: 'What Ray counts as a slot: `GPU`, `CPU`, or a resource of your own that nodes were started with (`ray start --resources`).',
    preset: 'GPU',
    schema: z
      .string()
      .regex(/^[A-Za-z][\w.-]{0,99}$/)
      .describe('the name of a resource'),
  }),
  ray_max_nodes: setting({
    doc: 'The most nodes with slots that an autoscaler brings the cluster to; 0 where it stays as it is.',
    preset: '0',
    schema: wholeNumber(0, 100_000),
  }),
  ray_node_slots: setting({
    doc: 'Slots of a node that an autoscaler adds; `auto` is as many as those have that are there.',
    preset: 'auto',
    schema: z.union([z.literal('auto'), wholeNumber(1, 1024)]).describe('a whole number from 1 to 1024, or auto'),
  }),
  job_time_limit: setting({
    doc: 'How long a tuning job runs at a stretch; then it goes back into the queue, and goes on from there when it is its turn.',
    preset: '4h',
    schema: duration,
  }),
  limit_requests_per_minute: setting({
    doc: 'Rate limit: requests a minute of an account.',
    preset: '1200',
    schema: limit,
  }),
  limit_data_points: setting({ doc: 'Data points of one tuning job of an account.', preset: '500', schema: limit }),
  limit_storage: setting({
    doc: 'Stored bytes of an account.',
    preset: '10GB',
    schema: storageBytes,
  }),
  limit_jobs: setting({ doc: 'Jobs of an account that wait or run at once.', preset: '20', schema: limit }),
  limit_keys: setting({ doc: 'Keys of an account that work at once.', preset: '100', schema: limit }),
  days_kept: setting({
    doc: 'How many days the results of batches and polled streams are kept once they are complete.',
    preset: '7',
    schema: z
      .union([z.literal('none').transform(() => null), wholeNumber(1, 36_500)])
      .describe('a whole number of days from 1, or none to keep them for good'),
  }),
  audit_days_kept: setting({
    doc: 'How many days rows of the audit log are kept.',
    preset: 'none',
    schema: z
      .union([z.literal('none').transform(() => null), wholeNumber(1, 36_500)])
      .describe('a whole number of days from 1, or none to keep them for good'),
  }),
  hub_url: setting({
    doc: 'The hub that models are downloaded from: the public one or a mirror of it.',
    preset: 'https://huggingface.co',
    schema: z
      .string()
      .regex(/^https?:\/\/[^\s@?#/]+(\/[^\s@?#]*)?$/)
      .describe('an address such as https://hub.example.org, without a name or password in it'),
  }),
  model_downloads: setting({
    doc: 'Who may download models: every account, with a key of the scope `tune`, or the operator alone.',
    preset: 'accounts',
    schema: oneOf('accounts', 'operator'),
  }),
  webhook_networks: setting({
    doc: 'Networks that webhooks may reach besides public addresses, such as `10.0.0.0/8`. Every account can then reach what listens there.',
    preset: 'none',
    schema: networks,
  }),
  engine_memory: setting({
    doc: 'How much memory the engine may take for models and their states; `auto` is six tenths of what is free when it starts.',
    preset: 'auto',
    schema: engineBytes,
  }),
  embedder: setting({
    doc: 'The embedding model by which tuned models recognise questions: the folder of a sentence-transformers model, or `default` for the one that is installed. Models keep the one that they were tuned with.',
    preset: 'default',
    schema: embedder,
  }),
  engine_threads: setting({
    doc: 'Threads of one computation of the engine. With more than one the last digits of an answer may depend on what is computed beside it.',
    preset: '1',
    schema: wholeNumber(1, 1024),
  }),
  replicas: setting({
    doc: 'How many replicas of the engine answer: a number, or a range in which they follow the load (`1-4`). Each has its own copy of what it loads; those of this machine share `engine_memory`, and take `engine_threads` each ([guide](../guide/cluster.md#replicas)).',
    preset: '1',
    schema: replicas,
  }),
  replicas_on: setting({
    doc: 'Where replicas run: `local` is processes of this machine, one for each GPU in turn; `ray` is a slot of the Ray cluster each.',
    preset: 'local',
    schema: oneOf('local', 'ray'),
  }),
  replicas_ports: setting({
    doc: 'With `replicas_on` `ray`: the ports at which replicas listen on their nodes, for a firewall between; a node needs one for each of its replicas.',
    preset: 'any',
    schema: replicasPorts,
  }),
  engine_device: setting({
    doc: 'What the engine and tuning compute on; `auto` takes GPUs where there are some.',
    preset: 'auto',
    schema: oneOf('auto', 'cpu', 'cuda'),
  }),
  upstreams: setting({
    doc: 'Models whose answers an engine elsewhere computes (vLLM, SGLang, llama.cpp, Ray Serve), each with its `url`, and as needed `model`, `key` or `key_file`, `folder`, `timeout`: `docs/guide/upstreams.md`.',
    preset: '',
    presetDoc: 'none',
    secret: true,
    schema: upstreams,
  }),
  max_body: setting({ doc: 'The largest JSON body of an ordinary call.', preset: '4MB', schema: bodyBytes }),
  max_upload: setting({ doc: 'The largest upload.', preset: '10GB', schema: bodyBytes }),
  max_connections: setting({
    doc: 'Connections open at once; more are turned away.',
    preset: '4096',
    schema: wholeNumber(1, 1_000_000),
  }),
  body_timeout: setting({
    doc: 'How long headers and an ordinary body may take to arrive, and how long an upload may pause.',
    preset: '30',
    schema: wholeNumber(1, 3600, ' seconds'),
  }),
  upload_rate: setting({
    doc: 'The minimum rate of an upload, over any span as long as `body_timeout`; 0 for none.',
    preset: '1000',
    schema: wholeNumber(0, 1_000_000_000, ' bytes a second'),
  }),
  upload_timeout: setting({
    doc: 'How long a whole upload may take.',
    preset: '7200',
    schema: wholeNumber(1, 604_800, ' seconds'),
  }),
  log_level: setting({
    doc: 'How much is logged.',
    preset: 'info',
    schema: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  }),
  log_format: setting({
    doc: 'JSON lines or text for people; `auto` is text on a terminal and JSON elsewhere.',
    preset: 'auto',
    schema: oneOf('auto', 'json', 'text'),
  }),
};

export type SettingName = keyof typeof settings;
export type Config = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> };

export const settingNames = Object.keys(settings) as SettingName[];
export const environmentName = (name: SettingName): string => `LOREKEEP_${name.toUpperCase()}`;
export const flagName = (name: SettingName): string => `--${name.replaceAll('_', '-')}`;
