// For tests alone: the process kills itself at a named point, between two writes that belong together.

export type Point = 'vectors added' | 'vectors copied' | 'vectors switched' | 'copy dropped' | 'blobs removed';

const point = process.env.LOREKEEP_TEST_DIE_AT;

export function mayDie(at: Point): void {
  if (point === at) process.kill(process.pid, 'SIGKILL');
}
