// Settings: sources of values, and errors for wrong ones.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { effectiveConfig, settingsHelp, settingsTable } from './describe.ts';
import { loadConfig, SettingsError } from './load.ts';
import { refuseReplicas } from './replicas.ts';
import { checkout, environmentName, settingNames, settings } from './settings.ts';

const mistake = (origins: Parameters<typeof loadConfig>[0]) => {
  try {
    loadConfig({ environment: {}, ...origins });
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.message;
  }
  assert.fail('the settings were taken');
};

describe('settings', () => {
  it('prefer a flag to the environment, the environment to the file, the file to the default', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    await writeFile(
      join(home, 'lorekeep.env'),
      'LOREKEEP_PORT=1\nLOREKEEP_HOST=::1\nLOREKEEP_MAX_BODY=2MB # a comment\n',
    );
    const { config, sources } = loadConfig({
      flags: { port: '3' },
      environment: { LOREKEEP_HOME: home, LOREKEEP_PORT: '2', LOREKEEP_HOST: 'localhost' },
    });
    assert.deepEqual([config.port, sources.port], [3, 'flag']);
    assert.deepEqual([config.host, sources.host], ['localhost', 'environment']);
    assert.deepEqual([config.max_body, sources.max_body], [2 * 1024 * 1024, 'file']);
    assert.deepEqual([config.log_level, sources.log_level], ['info', 'default']);
    await rm(home, { recursive: true });
  });

  it('refuse a wrong value with its name, the value and the allowed values', () => {
    const message = mistake({ environment: { LOREKEEP_PORT: 'eighty', LOREKEEP_LOG_LEVEL: 'loud' } });
    assert.match(message, /LOREKEEP_PORT is "eighty", from the environment; it must be a whole number from 0 to 65535/);
    assert.match(message, /LOREKEEP_LOG_LEVEL is "loud".*debug, info, warn, error, silent/);
  });

  it('accept addresses, ranges and names of proxies, and nothing else', () => {
    const trusted = (text: string) => loadConfig({ environment: { LOREKEEP_TRUSTED_PROXIES: text } }).config;
    assert.deepEqual(trusted('10.0.0.0/8, ::1,loopback').trusted_proxies, ['10.0.0.0/8', '::1', 'loopback']);
    assert.deepEqual(trusted('none').trusted_proxies, []);
    for (const text of ['everybody', '10.0.0.0/33', '10.0.0.1/8/8', '10.0.0.1,', 'true'])
      assert.match(
        mistake({ environment: { LOREKEEP_TRUSTED_PROXIES: text } }),
        /LOREKEEP_TRUSTED_PROXIES is ".*none, or IP/,
      );
  });

  it('accept a number of replicas or a range, and refuse more than the machine can hold with both numbers', () => {
    const replicas = (text: string) => loadConfig({ environment: { LOREKEEP_REPLICAS: text } }).config.replicas;
    assert.deepEqual(
      [replicas('1'), replicas('1-1')],
      [1, 1].map(() => ({ min: 1, max: 1 })),
    );
    for (const text of ['0', '2-1', '65', '1-', 'auto'])
      assert.match(
        mistake({ environment: { LOREKEEP_REPLICAS: text } }),
        /LOREKEEP_REPLICAS is ".*from 1 to 64, or two/,
      );
    const machine = { bytes: 4 * 1024 ** 3, cores: 4 };
    const refused = (max: number, threads: number, memory: number | 'auto') =>
      refuseReplicas({ replicas: { min: 1, max }, engine_threads: threads, engine_memory: memory }, machine);
    assert.deepEqual([refused(4, 1, 'auto'), refused(1, 9, 1)], [[], []]);
    assert.match(refused(3, 2, 'auto').join(), /is 3 with LOREKEEP_ENGINE_THREADS 2, which is 6 threads.*has 4 cores/);
    assert.match(refused(4, 1, 1024 ** 3).join(), /2048 MB in all; LOREKEEP_ENGINE_MEMORY is 1024 MB/);
    assert.match(refused(2, 1, 8 * 1024 ** 3).join(), /is 8192 MB for 2 replicas, and this machine has 4096 MB/);
    assert.match(
      mistake({ environment: { LOREKEEP_REPLICAS_ON: 'ray' } }),
      /LOREKEEP_REPLICAS_ON is ray, and LOREKEEP_CLUSTER is not/,
    );
  });

  it('accept a range of ports for replicas, or any', () => {
    const ports = (text: string) =>
      loadConfig({ environment: { LOREKEEP_REPLICAS_PORTS: text } }).config.replicas_ports;
    assert.deepEqual(
      [ports('any'), ports('20000-20063'), ports('20000-20000')],
      [null, [20000, 20063], [20000, 20000]],
    );
    for (const text of ['20000', '2-1', '80-90', '20063-20000', '60000-70000'])
      assert.match(
        mistake({ environment: { LOREKEEP_REPLICAS_PORTS: text } }),
        /LOREKEEP_REPLICAS_PORTS is ".*any, or two ports from 1024 to 65535/,
      );
  });

  it('never print a wrong secret', () => {
    assert.ok(!mistake({ environment: { LOREKEEP_ADMIN_KEY: 'short-1' } }).includes('short-1'));
    assert.ok(!mistake({ environment: { LOREKEEP_DATABASE_URL: 'mysql://user:hunter2@host' } }).includes('hunter2'));
  });

  it('report an unknown setting with the closest known one', () => {
    assert.match(
      mistake({ environment: { LOREKEEP_PORTS: '80' } }),
      /LOREKEEP_PORTS in the environment is not a setting; did you mean LOREKEEP_PORT/,
    );
  });

  it('ignore variables of the command line and of the tests', () => {
    const environment = {
      LOREKEEP_API_KEY: 'lk_x',
      LOREKEEP_DEBUG: '1',
      LOREKEEP_TEST_CHROMIUM: '/a',
      LOREKEEP_TEST_X: '1',
    };
    assert.equal(loadConfig({ environment }).config.port, 8080);
    assert.match(mistake({ environment: { LOREKEEP_TESTS: '1' } }), /LOREKEEP_TESTS/);
  });

  it('report a missing settings file that was requested', () => {
    assert.match(mistake({ flags: { config: '/does/not/exist.env' } }), /\/does\/not\/exist\.env cannot be read/);
  });

  it('name each line of the settings file that sets nothing, and show nothing of it that may be secret', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const file = join(home, 'lorekeep.env');
    const write = async (...lines: string[]) => await writeFile(file, `${lines.join('\n')}\n`);
    await write(
      '# a comment',
      '',
      'LOREKEEP_PORT 8081',
      ' LOREKEEP_CONTACT="two',
      'lines" # theirs',
      'export s3cret',
      '=1',
    );
    const message = mistake({ flags: { home } });
    assert.match(message, /Line 3 of the settings file .*lorekeep\.env, about LOREKEEP_PORT, is not NAME=value/);
    assert.match(message, /3 mistakes[\s\S]*Line 6 of[\s\S]*Line 7 of/);
    assert.ok(message.includes(file) && !/8081|s3cret|theirs/.test(message), message);
    await write('export LOREKEEP_PORT=8081\r', "LOREKEEP_CONTACT='a", '# no comment', "b'", '\t# a comment', 'OTHER=1');
    const { config } = loadConfig({ flags: { home }, environment: {} });
    assert.deepEqual([config.port, config.contact], [8081, 'a\n# no comment\nb']);
    await rm(home, { recursive: true });
  });

  it('refuse values with which the server could not work', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const missing = join(home, 'missing');
    for (const [name, wrong, right, message] of [
      ['engine_memory', ['1', '255MB', '0', '999999999999999TB'], ['256MB', 'auto'], /bytes from 256MB to 1024TB/],
      ['max_body', ['0', '4', '999999999999999TB'], ['16kB'], /bytes from 16kB/],
      ['max_upload', ['0', '10'], ['1MB'], /bytes from 16kB/],
      [
        'embedder',
        [missing, home],
        [join(checkout, 'models/quill'), 'default'],
        /(no folder .*missing|no config\.json)/,
      ],
      ['admin_key', ['x', 'x'.repeat(40), 'abcde'.repeat(4)], ['0123456789abcdef'], /at least 6 of them different/],
    ] as const) {
      for (const value of wrong) assert.match(mistake({ flags: { home, [name]: value } }), message, `${name} ${value}`);
      for (const value of right) loadConfig({ flags: { home, [name]: value }, environment: {} });
    }
    assert.match(
      mistake({ flags: { home: missing, embedder: missing } }),
      new RegExp(`LOREKEEP_EMBEDDER is "${missing}", from --embedder; it must be the folder of a model, or default`),
    );
    await rm(home, { recursive: true });
  });

  it('refuse a database of SQLite in a folder that does not exist, except in the home', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const url = `sqlite:${join(home, 'missing/lorekeep.db')}`;
    assert.match(
      mistake({ flags: { home: join(home, 'other'), database_url: url } }),
      new RegExp(
        `LOREKEEP_DATABASE_URL is "${url}", from --database-url, and there is no folder ${home}/missing; make it`,
      ),
    );
    for (const flags of [
      { home, database_url: url },
      { home: join(home, 'missing') },
      { database_url: 'sqlite:here.db' },
    ])
      loadConfig({ flags, environment: {} });
    await rm(home, { recursive: true });
  });

  it('accept a folder or a bucket with a prefix as the storage', () => {
    for (const storage of ['folder', 's3://lore', 's3://lore.keep-1', 's3://lore/deep/down', 's3://lore/deep/'])
      assert.equal(loadConfig({ flags: { storage }, environment: {} }).config.storage, storage);
    for (const storage of [
      's3://',
      's3://L',
      's3://a/../b',
      's3://lore//x',
      's3://lore/a b',
      's3://key:word@lore',
      '/srv',
    ])
      assert.match(
        mistake({ flags: { storage } }),
        /LOREKEEP_STORAGE is ".*", from --storage; it must be folder, or/,
        storage,
      );
  });

  it('accept a reachable address as the endpoint of the storage', () => {
    for (const text of ['http://10.0.0.5:9000', 'https://storage.example/below'])
      assert.equal(loadConfig({ flags: { storage_endpoint: text }, environment: {} }).config.storage_endpoint, text);
    for (const text of ['10.0.0.5:9000', 'http://key:word@host', 'http://host:99999', 'http://[::1', 'http://host/?a'])
      assert.match(
        mistake({ flags: { storage_endpoint: text } }),
        /LOREKEEP_STORAGE_ENDPOINT is ".*an address such as/,
      );
  });

  it('treat an empty variable as unset', () => {
    assert.equal(loadConfig({ environment: { LOREKEEP_PORT: '' } }).config.port, 8080);
  });

  it('are printed with their sources and without secrets', () => {
    const loaded = loadConfig({
      flags: { admin_key: 'a-very-secret-key' },
      environment: { LOREKEEP_DATABASE_URL: 'postgres://user:hunter2@db.example/lore' },
    });
    const text = effectiveConfig(loaded);
    assert.ok(!text.includes('a-very-secret-key') && !text.includes('hunter2'));
    assert.match(text, /LOREKEEP_DATABASE_URL +postgres:\/\/user:\(hidden\)@db\.example\/lore +environment/);
  });

  it('are all described in the help and in the docs', () => {
    for (const name of settingNames) {
      assert.ok(settingsHelp().includes(environmentName(name)), name);
      assert.ok(settingsTable().includes(environmentName(name)), name);
      assert.ok(settings[name].schema.description, `${name}: its values are described`);
    }
  });
});
