/** An engine that never comes is not waited for. */
export function noEngine(): Promise<string> {
  const python = Promise.reject<string>(new Error('there is none'));
  python.catch(() => {});
  return python;
}
