/**
 * After all suites: the control plane that they used.
 */
import { Cluster } from './control-plane/cluster';
import { LIVE_CLUSTER } from './control-plane/components';

export default async function teardown(): Promise<void> {
  const folder = process.env[LIVE_CLUSTER];
  if (folder !== undefined) {
    await Cluster.open(folder)?.stop();
  }
}
