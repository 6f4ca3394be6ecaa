// Warnings about a Ray cluster that can be used, but is not safe.
import { isLoopback, type RayApi } from './api.ts';

/** Versions before it have known vulnerabilities (CVE-2025-62593, CVE-2026-27482). */
const minSafeVersion = [2, 54] as const;

export async function warningsOf(api: RayApi): Promise<string[]> {
  const version = await api.version();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < minSafeVersion[0] || (major === minSafeVersion[0] && minor < minSafeVersion[1]);
  const isOpen = !isLoopback(api.address) && !(await api.asksForToken());
  return [
    ...(isOld
      ? [
          `Ray ${version} has known vulnerabilities: anybody who reaches it may run code. Use ${minSafeVersion.join('.')} or later.`,
        ]
      : []),
    ...(isOpen
      ? [
          `Ray at ${api.address} asks for no token: anybody who reaches it may run code on the cluster and read what this installation holds. Start Ray with RAY_AUTH_MODE=token (docs/guide/cluster.md).`,
        ]
      : []),
  ];
}
