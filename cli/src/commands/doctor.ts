// lorekeep doctor: diagnoses problems and suggests remedies. In a checkout the installation on this machine is checked too.
import { spawnSync } from 'node:child_process';
import { type DownloadedModel, version } from '@lorekeep/client';
import type { Command, Context } from '../command.ts';
import { isStarting } from '../engine-ready.ts';
import { EndedError, UsageError } from '../exit.ts';
import { stripControls } from '../terminal.ts';
import type { Finding } from './finding.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the installation and suggest fixes',
  options: { home: { value: 'FOLDER', about: 'check the installation in this folder, as status and stop do' } },
  more: 'Exits with 0 if no problem is found, otherwise with 6.',
  async run(context, given) {
    const local = checkHost(context, given.text('home'));
    const findings = [...local, ...(await checkServer(context, local.find(({ url }) => url)?.url))];
    if (context.json) context.show(findings, () => '');
    else for (const finding of findings) context.terminal.print(line(context, finding));
    const problems = findings.filter(({ state }) => state === 'problem').length;
    if (problems > 0) throw new EndedError(problems === 1 ? '1 problem found.' : `${problems} problems found.`);
  },
};

function line({ terminal }: Context, { name, state, about, remedy }: Finding): string {
  const mark = {
    ok: terminal.style('green', '✔'),
    problem: terminal.style('red', '✖'),
    unknown: terminal.style('yellow', '·'),
  };
  return `${mark[state]} ${name.padEnd(14)} ${stripControls(about)}${remedy ? `\n  ${' '.repeat(14)} ${terminal.style('bold', stripControls(remedy))}` : ''}`;
}

/** The program that checks the installation, named by the launcher `./lorekeep`. */
function checkHost({ environment }: Context, home: string | undefined): Finding[] {
  const main = environment.LOREKEEP_CHECKOUT_SERVER;
  if (!main && home !== undefined)
    throw new UsageError(
      '--home is of an installation on this machine, which ./lorekeep doctor in its checkout looks at.',
    );
  if (!main) return [];
  const own = { ...environment };
  delete own.LOREKEEP_CHECKOUT_SERVER;
  delete own.LOREKEEP_PROGRAM;
  const words = [
    '--disable-warning=ExperimentalWarning',
    main,
    'examine',
    ...(home === undefined ? [] : ['--home', home]),
  ];
  const patient = { encoding: 'utf8', env: own, timeout: 600_000 } as const;
  const { stdout, stderr, status, error } = spawnSync(process.execPath, words, patient);
  if (status === 0) return JSON.parse(stdout);
  if (error) return [{ name: 'this machine', state: 'problem', about: `it cannot be checked: ${error.message}` }];
  const [first = ''] = stderr.trim().split('\n').slice(0, 2).reverse();
  return [
    {
      name: 'settings',
      state: 'problem',
      about: first.trim() || `the check of this machine ended with ${status}`,
      remedy: 'Correct the setting; ./lorekeep config shows the settings in force.',
    },
  ];
}

/** Without an address, the local server is asked at the address of its settings. */
async function checkServer(context: Context, here: string | undefined): Promise<Finding[]> {
  const named = context.address();
  const { url, from } = here && named.from === 'the default' ? { url: here, from: 'the settings' } : named;
  const client = context.client(url);
  const callOptions = { signal: context.signal, retries: 0, timeoutMs: 10_000 };
  let served: string;
  let parts: Record<string, string>;
  try {
    ({ server: served } = await client.version(callOptions));
    if (typeof served !== 'string') throw new Error(`The server at ${url} is not Lorekeep.`);
    ({ parts } = await client.readiness(callOptions));
  } catch (error) {
    context.signal.throwIfAborted();
    const about = (error as Error).message;
    const remedy = `The address comes from ${from}; --url, LOREKEEP_BASE_URL or ${context.program} login set another.`;
    return [{ name: 'server', state: 'problem', about, remedy }];
  }
  const findings: Finding[] = [{ name: 'server', state: 'ok', about: `version ${served} at ${url} (from ${from})` }];
  if (served !== version)
    findings.push({
      name: 'version',
      state: 'unknown',
      about: `this command line is ${version}, the server ${served}`,
      remedy: `npm install --global lorekeep@${served} installs the version of the server.`,
    });
  for (const [part, state] of Object.entries(parts).filter(([part]) => !part.startsWith('upstream ')))
    findings.push({
      name: part,
      state: state === 'ok' ? 'ok' : isTransient(state) ? 'unknown' : 'problem',
      about: state,
      ...(state !== 'ok' && { remedy: isTransient(state) ? 'Wait: it starts by itself.' : remedyOf(part) }),
    });
  try {
    const account = await client.showOwnAccount(callOptions);
    const { name, scopes, expires_at } = account.key;
    findings.push({ name: 'key', state: 'ok', about: `"${name}" of "${account.name}" (${scopes.join(', ')})` });
    const left = expires_at ? (Date.parse(expires_at) - Date.now()) / 86_400_000 : Number.POSITIVE_INFINITY;
    if (left < 7)
      findings.push({
        name: 'key',
        state: 'unknown',
        about: `it expires ${expires_at}`,
        remedy: `${context.program} keys rotate ${account.key.id} --url ${url} creates a new one.`,
      });
    findings.push(...modelFindings(await client.listDownloadedModels(callOptions), context.program));
  } catch (error) {
    context.signal.throwIfAborted();
    const about = (error as Error).message;
    findings.push({ name: 'key', state: 'problem', about, remedy: `${context.program} login stores another one.` });
  }
  return findings;
}

function modelFindings(models: DownloadedModel[], program: string): Finding[] {
  const findings: Finding[] = models.flatMap(({ model_name, upstream }) =>
    upstream ? [upstreamFinding(model_name, upstream)] : [],
  );
  const failed = models.filter(({ status, source }) => status === 'failed' && source !== 'upstream');
  const usable = models.filter(({ status }) => status === 'available');
  findings.push({
    name: 'models',
    state: usable.length > 0 ? 'ok' : 'unknown',
    about: usable.map(({ model_name }) => model_name).join(', ') || 'none is available yet',
  });
  for (const { model_name, prev_download_error } of failed)
    findings.push({
      name: 'models',
      state: 'problem',
      about: `${model_name}: ${prev_download_error}`,
      remedy: `${program} models download ${model_name} retries.`,
    });
  return findings;
}

/** Reads the reason from the list of models, which needs a key. */
function upstreamFinding(model: string, { state, notes }: { state: string; notes: string[] }): Finding {
  const name = 'upstream';
  if (state !== 'ok' && !isTransient(state))
    return {
      name,
      state: 'problem',
      about: `${model}: ${state}`,
      remedy: 'LOREKEEP_UPSTREAMS holds its address; docs/guide/upstreams.md explains each reason.',
    };
  return {
    name,
    state: state === 'ok' && notes.length === 0 ? 'ok' : 'unknown',
    about: [`${model}: ${state}`, ...notes].join('; '),
  };
}

const isTransient = (state: string): boolean => isStarting(state) || state === 'starting again';

const remedies: Record<string, string> = {
  database: 'Read the log of the server; LOREKEEP_DATABASE_URL names the database.',
  engine: './lorekeep setup installs its packages; the log of the server gives the reason why it does not start.',
};
const remedyOf = (part: string) => remedies[part] ?? 'The log of the server gives the reason.';
