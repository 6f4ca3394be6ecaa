// Creates a Ray cluster from its settings.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, checkout } from '../../config/settings.ts';
import { version } from '../../version.ts';
import { RayApi, RayUnavailable } from './api.ts';
import { RayCluster } from './ray.ts';

/** `driver` is the module of engine/lorekeep/cluster that Ray starts for a run. */
export function rayCluster(
  config: Config,
  folder: (name: string) => string,
  log: FastifyBaseLogger,
  driver: 'ray_driver' | 'ray_replica' = 'ray_driver',
): RayCluster {
  const { ray_address, ray_token_file, ray_python, ray_resource, ray_max_nodes, ray_node_slots } = config;
  const api = new RayApi({
    address: ray_address.replace(/\/+$/, ''),
    token: async () => (ray_token_file === '' ? undefined : await tokenIn(ray_token_file)),
    tokenFrom: ray_token_file === '' ? 'no token: set LOREKEEP_RAY_TOKEN_FILE' : `the token of ${ray_token_file}`,
    userAgent: `lorekeep/${version}`,
  });
  return new RayCluster({
    ...{ api, folder, log },
    program: [ray_python, '-m', `lorekeep.cluster.${driver}`],
    // Nodes see the checkout at the same path as this server.
    engine: join(checkout, 'engine'),
    resource: ray_resource,
    maxNodes: ray_max_nodes,
    nodeSlots: ray_node_slots === 'auto' ? 0 : ray_node_slots,
  });
}

async function tokenIn(file: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new RayUnavailable(`the token file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) throw new RayUnavailable(`the token file ${file} holds no token`);
  return token;
}
