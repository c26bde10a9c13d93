/**
 * The schedulers that are measured, each a process of its own, and what they cost.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { components, programPath } from '../../test/e2e/control-plane/components';
import { startProcess, stopProcess } from '../../test/e2e/control-plane/process';
import { GantryProcess } from '../../test/e2e/scheduler/gantry-process';
import { buildVolcano, whyNoVolcano } from './volcano';

export interface Contender {
  readonly pid: number;
  stop(): Promise<void>;
}

export const CONTENDERS = ['kube-scheduler', 'native gangs', 'Volcano', 'Gantry'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** What keeps a contender out; `undefined` where nothing does. */
export function whyNot(name: ContenderName): string | undefined {
  return name === 'Volcano' ? whyNoVolcano() : undefined;
}

export async function startContender(name: ContenderName, kubeconfig: string): Promise<Contender> {
  switch (name) {
    case 'Gantry': {
      const gantry = await GantryProcess.start({ kubeconfig });
      return { pid: gantry.pid, stop: () => gantry.stop() };
    }
    case 'Volcano':
      return startVolcano(kubeconfig);
    case 'kube-scheduler':
      return startKubeScheduler(kubeconfig, []);
    case 'native gangs':
      return startKubeScheduler(kubeconfig, ['--feature-gates=GenericWorkload=true,GangScheduling=true']);
  }
}

/** Its own limit of 50 requests a second is lifted, as in its own benchmarks. */
function startKubeScheduler(kubeconfig: string, flags: readonly string[]): Contender {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const config = join(folder, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      clientConnection: { kubeconfig, qps: 5000, burst: 5000 },
      leaderElection: { leaderElect: false },
    }),
  );
  const program = programPath(components().find((component) => component.name === 'kube-scheduler')!);
  return started('kube-scheduler', program, [`--config=${config}`, '--secure-port=0', ...flags], folder);
}

/** As its chart configures it, with its limits of requests lifted, and a period of 100 ms instead of a second. */
async function startVolcano(kubeconfig: string): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  // In a folder of its own: the scheduler reads its configuration again with each change of the folder, such as a line of its log.
  const config = join(mkdtempSync(join(folder, 'config-')), 'volcano-scheduler.conf');
  writeFileSync(config, VOLCANO_CONFIGURATION);
  const port = await freePort();
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--scheduler-conf=${config}`,
    '--leader-elect=false',
    '--kube-api-qps=5000',
    '--kube-api-burst=5000',
    '--schedule-period=100ms',
    '--enable-healthz=false',
    '--enable-metrics=false',
    `--listen-address=127.0.0.1:${port}`,
    '--v=0',
  ];
  return started('vc-scheduler', buildVolcano(console.log), args, folder);
}

const VOLCANO_CONFIGURATION = `
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
`;

function started(name: string, program: string, args: readonly string[], folder: string): Contender {
  const record = startProcess(name, program, args, join(folder, 'log'), folder);
  return {
    pid: record.pid,
    stop: async () => {
      await stopProcess(record);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

export interface Cost {
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
  readonly peakMiB: number;
}

/** Linux only; zeros elsewhere. */
export function costOf(pid: number): Cost {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mebibytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      memoryMiB: mebibytes('VmRSS'),
      peakMiB: mebibytes('VmHWM'),
    };
  } catch {
    return { cpuSeconds: 0, memoryMiB: 0, peakMiB: 0 };
  }
}
