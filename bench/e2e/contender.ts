/**
 * The two schedulers that are measured, each a process of its own, and what they cost.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { components, programPath } from '../../test/e2e/control-plane/components';
import { startProcess, stopProcess } from '../../test/e2e/control-plane/process';
import { GantryProcess } from '../../test/e2e/scheduler/gantry-process';

export interface Contender {
  readonly pid: number;
  stop(): Promise<void>;
}

export type ContenderName = 'kube-scheduler' | 'gantry';

export async function startContender(name: ContenderName, kubeconfig: string): Promise<Contender> {
  if (name === 'gantry') {
    const gantry = await GantryProcess.start({ kubeconfig });
    return { pid: gantry.pid, stop: () => gantry.stop() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const config = join(folder, 'config.json');
  // Its own limit of 50 requests a second is lifted, as in its own benchmarks.
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
  const record = startProcess(name, program, [`--config=${config}`, '--secure-port=0'], join(folder, 'log'), folder);
  return {
    pid: record.pid,
    stop: async () => {
      await stopProcess(record);
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
