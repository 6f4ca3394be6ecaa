// Fault injection, loaded before the real product (`node --import`): the process kills itself right after the named write.
import { FolderBlobs } from '../../blobs/folder.ts';
import { LanceVectors } from '../../vectors/lance.ts';
import { IndexStore } from '../indexing/index-store.ts';

export type Point = 'vectors added' | 'vectors copied' | 'vectors switched' | 'copy forgotten' | 'blobs removed';

const target = process.env.KILL_AT;

const killAt = (at: Point) => {
  if (at === target) process.kill(process.pid, 'SIGKILL');
};

const { add, purge } = LanceVectors.prototype;
LanceVectors.prototype.add = async function (...rows) {
  await add.apply(this, rows);
  killAt('vectors added');
};
LanceVectors.prototype.purge = async function (...tables) {
  const left = await purge.apply(this, tables);
  killAt('vectors copied');
  return left;
};

const { write } = IndexStore.prototype;
IndexStore.prototype.write = async function (id, change) {
  await write.call(this, id, change);
  const { vectors, vectors_spare: spare } = change.index ?? {};
  if (vectors !== undefined) killAt('vectors switched');
  else if (spare === null) killAt('copy forgotten');
};

const { remove } = FolderBlobs.prototype;
FolderBlobs.prototype.remove = async function (name) {
  await remove.call(this, name);
  killAt('blobs removed');
};
