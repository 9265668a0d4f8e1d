import type { TestContext } from 'vitest';
import { Service } from '../service.ts';
import type { Cluster } from './cluster.ts';
import { Network } from './network.ts';

/** A service, its database, and the network between them, which a test can break. */
export interface BehindNetwork {
  readonly cluster: Cluster;
  readonly network: Network;
  readonly service: Service;
}

/** Starts a service on a cluster that is behind a network. All of them end with the test. */
export async function behindNetwork(
  { onTestFinished }: TestContext,
  cluster: Cluster,
): Promise<BehindNetwork> {
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const network = await Network.start(cluster.port);
  onTestFinished(() => network[Symbol.asyncDispose]());
  const service = await Service.start({ DATABASE_URL: network.through(cluster.url('postgres')) });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { cluster, network, service };
}
