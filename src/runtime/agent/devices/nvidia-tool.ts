/**
 * What `nvidia-smi` says about the GPUs of the node: their state every minute, and which of them NVLink connects every ten minutes, since that
 * changes only with the hardware or with MIG.
 *
 * The program may hang with a broken driver, so it is killed after its time, and never runs twice at once.
 */
import { execFile } from 'node:child_process';
import { type ListedGpu, type NvidiaGpu, parseNvidiaList, parseNvidiaReport } from '../../nvidia/nvidia-smi';
import { parseNvLinks } from '../../nvidia/nvlink';
import { parseTopology, type Topology } from '../../nvidia/topology';
import { type AcceleratorState } from './accelerators';

/** Milliseconds. */
const STATE_PERIOD = 60_000;
const LAYOUT_PERIOD = 600_000;
const PATIENCE = 30_000;
const MOST_BYTES = 16 * 2 ** 20;

/** A GPU as NVIDIA's program describes it. */
export interface ToolGpu {
  readonly state: AcceleratorState;
  /** MIG instances by profile; absent where the GPU is not divided. */
  readonly mig?: Readonly<Record<string, number>>;
  /** NVLinks that carry traffic; absent where the program lists none. */
  readonly activeLinks?: number;
}

export interface NvidiaTool {
  readonly gpus: readonly ToolGpu[];
  readonly topology: Topology;
}

export type RunTool = (...words: readonly string[]) => Promise<string>;

export class NvidiaToolReader {
  private stateAt = -Infinity;
  private layoutAt = -Infinity;
  private report: readonly NvidiaGpu[] = [];
  private layout: Layout = EMPTY;
  private known: NvidiaTool | undefined;
  private underWay: Promise<void> | undefined;

  /** @param now milliseconds, and never going back */
  constructor(
    private readonly run: RunTool,
    private readonly now: () => number,
  ) {}

  /**
   * @returns what is known, which may be a minute old
   * @throws Error where the program cannot be run, or prints something else
   */
  async read(): Promise<NvidiaTool> {
    if (this.now() - this.stateAt >= STATE_PERIOD) {
      this.underWay ??= this.look().finally(() => (this.underWay = undefined));
      await this.underWay;
    }
    if (this.known === undefined) {
      throw new Error('nvidia-smi printed no report');
    }
    return this.known;
  }

  private async look(): Promise<void> {
    this.known = undefined;
    const report = parseNvidiaReport(await this.run('-q', '-x'));
    if (report === undefined) {
      throw new Error('nvidia-smi -q -x printed something that is not a report');
    }
    const isDivided = (gpus: readonly NvidiaGpu[]): string => gpus.map((gpu) => `${gpu.uuid}${gpu.isDivided}`).join();
    const isOther = isDivided(report.gpus) !== isDivided(this.report);
    if (isOther || this.now() - this.layoutAt >= LAYOUT_PERIOD) {
      const [list, matrix, links] = [
        await this.run('-L'),
        await this.run('topo', '-m'),
        await this.run('nvlink', '--status'),
      ];
      this.layout = { listed: parseNvidiaList(list), topology: parseTopology(matrix), links: parseNvLinks(links) };
      this.layoutAt = this.now();
    }
    this.report = report.gpus;
    this.stateAt = this.now();
    this.known = toolOf(report.gpus, this.layout);
  }
}

interface Layout {
  readonly listed: readonly ListedGpu[];
  readonly topology: Topology;
  /** Active links by the index of the GPU. */
  readonly links: ReadonlyMap<number, number>;
}

const EMPTY: Layout = { listed: [], topology: { islands: new Map(), numa: new Map() }, links: new Map() };

function toolOf(report: readonly NvidiaGpu[], { listed, topology, links }: Layout): NvidiaTool {
  const byUuid = new Map(listed.map((gpu) => [gpu.uuid, gpu]));
  const gpus = report.map((gpu, place): ToolGpu => {
    const { index, mig } = byUuid.get(gpu.uuid) ?? { index: place, mig: [] };
    const activeLinks = links.get(index);
    return {
      state: stateOf(gpu, index),
      ...(gpu.isDivided ? { mig: counted(mig.map(({ profile }) => profile)) } : {}),
      ...(activeLinks === undefined ? {} : { activeLinks }),
    };
  });
  return { gpus: gpus.sort((a, b) => a.state.index - b.state.index), topology };
}

function stateOf(gpu: NvidiaGpu, index: number): AcceleratorState {
  const { uuid, busId, memoryMiB: totalMiB, freeMiB, use, fault, throttled } = gpu;
  // What the driver reserves is not free either.
  const usedMiB = totalMiB !== undefined && freeMiB !== undefined ? totalMiB - freeMiB : use.memoryMiB;
  return {
    index,
    id: uuid,
    ...(busId === undefined ? {} : { busId }),
    ...(totalMiB === undefined ? {} : { totalMiB }),
    ...(usedMiB === undefined ? {} : { usedMiB }),
    ...(use.busy === undefined ? {} : { utilization: use.busy }),
    ...(fault === undefined ? {} : { fault }),
    ...(throttled === undefined ? {} : { throttled }),
  };
}

function counted(profiles: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  profiles.forEach((profile) => counts.set(profile, (counts.get(profile) ?? 0) + 1));
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * States of an exporter, which are newer, with what only the program says about the same device; and devices that no exporter describes.
 */
export function withTool(
  exported: readonly AcceleratorState[] | undefined,
  tool: NvidiaTool | undefined,
): readonly AcceleratorState[] | undefined {
  if (tool === undefined) {
    return exported;
  }
  const own = new Map(tool.gpus.map(({ state }) => [state.id, state]));
  const joined = (exported ?? []).map((state) => {
    const more = state.id === undefined ? undefined : own.get(state.id);
    own.delete(state.id);
    return more === undefined ? state : { ...more, ...state };
  });
  return [...joined, ...own.values()];
}

/** With one device lost, the program fails and still prints the others. */
export function runNvidiaTool(path: string): RunTool {
  return (...words) =>
    new Promise((resolve, reject) => {
      const options = { timeout: PATIENCE, maxBuffer: MOST_BYTES, killSignal: 'SIGKILL' as const };
      execFile(path, words, options, (error, out) => {
        if (error !== null && (typeof error.code !== 'number' || out === '')) {
          const why = error.killed === true ? `no response within ${PATIENCE} ms` : error.message.split('\n')[0];
          reject(new Error(`${path} ${words.join(' ')}: ${why}`));
        } else {
          resolve(out);
        }
      });
    });
}
