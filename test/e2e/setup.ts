/**
 * Before all suites: one control plane for them, built where it has to be.
 */
import { whyNoControlPlane } from './control-plane/availability';
import { buildPrograms } from './control-plane/build';
import { Cluster } from './control-plane/cluster';
import { LIVE_CLUSTER } from './control-plane/components';
import { coveredDefinitions } from './control-plane/covered-definitions';
import { applyCustomResources } from './control-plane/custom-resources';

export default async function setup(): Promise<void> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    print(`no control plane: ${reason}`);
    return;
  }
  const programs = buildPrograms({ print });
  const started = Date.now();
  const cluster = await Cluster.start({ programs });
  process.env[LIVE_CLUSTER] = cluster.folder;
  try {
    await applyCustomResources(cluster.client, coveredDefinitions());
  } catch (error) {
    // Jest runs no teardown after a setup that failed.
    await cluster.stop();
    throw error;
  }
  cluster.client.close();
  print(`control plane ready in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}
