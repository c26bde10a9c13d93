import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { Cluster, stopAbandoned } from './cluster';
import { isRunning } from './process';

describeLive('the control plane', () => {
  let live: LiveCluster;
  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  it('serves built-in kinds and those of the covered projects', () => {
    expect(live.discovery.get('batch/v1', 'Job')).toMatchObject({ plural: 'jobs', namespaced: true });
    expect(live.discovery.get('scheduling.volcano.sh/v1beta1', 'Queue')).toMatchObject({
      plural: 'queues',
      namespaced: false,
    });
    expect(live.discovery.get('kubeflow.org/v1', 'MPIJob')).toBeDefined();
    expect(live.discovery.get('kubeflow.org/v2beta1', 'MPIJob')).toBeDefined();
  });

  it('has a kubeconfig that names the server', () => {
    expect(existsSync(live.cluster.kubeconfig)).toBe(true);
  });

  it('that a crashed program left behind is stopped by the next program, and no other', async () => {
    const crashed = await startAndCrash();
    expect(crashed.processes.every(isRunning)).toBe(true);
    crashed.client.close();

    await stopAbandoned();

    expect(crashed.processes.some(isRunning)).toBe(false);
    expect(existsSync(crashed.folder)).toBe(false);
    expect(live.cluster.processes.every(isRunning)).toBe(true);
  });
});

/** A control plane whose owner was killed without a chance to clean up. */
async function startAndCrash(): Promise<Cluster> {
  const program = `
    const { Cluster } = require(${JSON.stringify(join(__dirname, 'cluster.ts'))});
    const { components, programPath } = require(${JSON.stringify(join(__dirname, 'components.ts'))});
    const programs = Object.fromEntries(components().map((component) => [component.name, programPath(component)]));
    Cluster.start({ programs }).then(({ folder }) => process.stdout.write(folder + '\\n'));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const folder = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
  const cluster = Cluster.open(folder);
  if (cluster === undefined) {
    throw new Error('the control plane did not outlive its owner');
  }
  return cluster;
}
