/** An engine that never starts, so that nothing waits for it. */
export function noEngine(): Promise<string> {
  const python = Promise.reject<string>(new Error('there is none'));
  python.catch(() => {});
  return python;
}
