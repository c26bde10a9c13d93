/**
 * The control plane that the setup started, for suites.
 */
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { Cluster } from './control-plane/cluster';
import { watchCluster } from './evidence';
import { kubernetesMinor, LIVE_CLUSTER } from './control-plane/components';
import { Discovery } from './control-plane/discovery';

/** `describe` where there is a control plane, `describe.skip` where there can be none. */
export const describeLive = process.env[LIVE_CLUSTER] === undefined ? describe.skip : describe;

export interface LiveCluster {
  readonly cluster: Cluster;
  readonly discovery: Discovery;
  readonly minor: KubernetesMinor;
}

/** To be called in `beforeAll`; the caller closes the client in `afterAll`. */
export async function liveCluster(): Promise<LiveCluster> {
  const folder = process.env[LIVE_CLUSTER] ?? '';
  const cluster = Cluster.open(folder);
  if (cluster === undefined) {
    throw new Error(`The control plane in ${folder} runs no more.`);
  }
  watchCluster(folder);
  return { cluster, discovery: await Discovery.read(cluster.client), minor: kubernetesMinor() };
}
