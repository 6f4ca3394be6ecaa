// Detects every form in which a full disk is reported.
import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { describe, it } from 'node:test';
import { getSystemErrorMap } from 'node:util';
import { isDiskFull, reportsDiskFull } from './disk-full.ts';

describe('a full disk', () => {
  it('is detected from the system, SQLite and PostgreSQL', () => {
    for (const error of [{ code: 'ENOSPC' }, { code: 'EDQUOT' }, { code: '53100' }, { errcode: 13 }])
      assert.ok(isDiskFull(Object.assign(new Error(), error)), JSON.stringify(error));
    for (const error of [undefined, new Error('full'), { code: 'EIO' }, { errcode: 5 }]) assert.ok(!isDiskFull(error));
  });

  it('is detected in the output of a process', () => {
    const words = getSystemErrorMap().get(-constants.errno.ENOSPC)![1];
    assert.ok(reportsDiskFull(`OSError: [Errno 28] ${words.charAt(0).toUpperCase()}${words.slice(1)}: 'x'`));
    assert.ok(reportsDiskFull("OSError: [Errno 122] Disk quota exceeded: 'x'"));
    assert.ok(!reportsDiskFull('OSError: [Errno 5] Input/output error'));
  });
});
