// Credentials of the storage in files: formats and rotation.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Credentials } from './credentials.ts';

describe('the credentials file', () => {
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    file = join(folder, 'keys');
  });
  after(async () => await rm(folder, { recursive: true }));

  it('accepts values with either kind of quotes or none, Windows line ends, and a quote within a value', async () => {
    for (const [id, secret] of [
      ['AWS_ACCESS_KEY_ID=an-id', 'AWS_SECRET_ACCESS_KEY=a/secret+='],
      ["export AWS_ACCESS_KEY_ID='an-id'", "export AWS_SECRET_ACCESS_KEY='a/secret+='"],
      ['\uFEFF[default]\r\naws_access_key_id = "an-id"\r', 'aws_secret_access_key = "a/secret+="\r'],
    ]) {
      await writeFile(file, `${id}\n${secret}\n`);
      assert.deepEqual(new Credentials(file).current(), { id: 'an-id', secret: 'a/secret+=', token: undefined });
    }
    await writeFile(file, 'AWS_ACCESS_KEY_ID=an-id\nAWS_SECRET_ACCESS_KEY=it"s\n');
    assert.equal(new Credentials(file).current().secret, 'it"s');
  });

  it('is refused, without showing its values, if no request could carry them', async () => {
    await writeFile(file, 'AWS_ACCESS_KEY_ID=an-id\nAWS_SECRET_ACCESS_KEY=secret\nAWS_SESSION_TOKEN=two words\n');
    assert.throws(
      () => new Credentials(file).current(),
      ({ message }: Error) =>
        /AWS_SESSION_TOKEN from the file .* contains a space/.test(message) && !/two words/.test(message),
    );
  });

  it('is reread at once after its keys are refused, and only changed keys are retried', async () => {
    await writeFile(file, 'AWS_ACCESS_KEY_ID=old\nAWS_SECRET_ACCESS_KEY=old\n');
    const credentials = new Credentials(file);
    const old = credentials.current();
    assert.equal(credentials.haveChangedSince(old), false);
    await writeFile(file, 'AWS_ACCESS_KEY_ID=new\nAWS_SECRET_ACCESS_KEY=new\n');
    assert.equal(credentials.current().id, 'old');
    assert.equal(credentials.haveChangedSince(old), true);
    assert.equal(credentials.current().id, 'new');
    await rm(file);
    assert.equal(credentials.haveChangedSince(credentials.current()), false);
  });
});
