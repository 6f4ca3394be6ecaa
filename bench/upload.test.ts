// Uploads are read as they come: the memory of the server does not grow with them. `./lorekeep bench upload` does the same with 1 GB.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formats, startUploads, type UploadServer } from './upload.ts';

const maxPeakBytes = 300e6;
const megabytes = 60;

describe('an upload', { skip: process.platform === 'linux' ? false : 'peak memory is read from /proc' }, () => {
  let server: UploadServer;
  before(async () => {
    server = await startUploads();
  });
  after(async () => await server.end());

  for (const format of formats) {
    it(`leaves the server under 300 MB (${format})`, async () => {
      const { rows, peakBytes } = await server.upload(format, megabytes);
      assert.equal(rows, megabytes * 6100);
      assert.ok(peakBytes < maxPeakBytes, `${Math.round(peakBytes / 1e6)} MB`);
    });
  }
});
