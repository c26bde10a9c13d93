/**
 * A Docker runner without an engine: its service, its books, and its decisions are the real ones; nothing is ever started, and the output of containers is what a
 * test writes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type RunnerConfiguration } from '../../src/planning/runner-settings/settings';
import { configurationOf, defaultConfiguration } from '../../src/runtime/docker/configuration';
import { type HostDevice, type Inventory } from '../../src/runtime/docker/devices/inventory';
import { UseHistory } from '../../src/runtime/docker/devices/use-history';
import { frameBytes } from '../../src/runtime/docker/engine/frames';
import { type Clock } from '../../src/runtime/docker/runner/clock';
import { Runner } from '../../src/runtime/docker/runner/runner';
import { type EngineCalls } from '../../src/runtime/docker/runner/runner-types';
import { Listeners } from '../../src/runtime/docker/service/listeners';
import { Service } from '../../src/runtime/docker/service/server';
import { TaskStore } from '../../src/runtime/docker/store/store';
import { newTask, type Placement, type Task, type TaskSpec } from '../../src/runtime/docker/task/task';
import { spec } from '../runtime/docker/tasks';

const MINUTE = 60_000;

export interface DockerHostProps {
  readonly devices: readonly HostDevice[];
  /** Members of `runner.yaml`. */
  readonly configuration?: Parameters<typeof configurationOf>[0];
}

export class DockerHost {
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-host-'));
  readonly socket = join(this.folder, 'runner.sock');
  readonly history = new UseHistory();
  readonly runner: Runner;
  readonly service: Service;
  readonly inventory: Inventory;
  readonly configuration: RunnerConfiguration;
  private readonly clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
  private readonly store: TaskStore;
  private readonly listeners: Listeners;
  private readonly outputs = new Map<string, PassThrough>();

  constructor({ devices, configuration = {} }: DockerHostProps) {
    const { folder, history, clock } = this;
    this.configuration = {
      ...configurationOf(configuration, join(folder, 'runner.yaml'), defaultConfiguration({ HOME: folder }, false)),
      state: folder,
    };
    const cpus = Array.from({ length: 64 }, (_, id) => ({ id, numa: id < 32 ? 0 : 1 }));
    this.inventory = { name: 'gpu-host', devices, cpus, memoryBytes: 512 * 2 ** 30 };
    this.store = TaskStore.open(folder);
    const engine = {
      name: 'Docker Engine 29.1.3',
      logs: (container: string) => Promise.resolve(this.output(container)),
    } as unknown as EngineCalls;
    this.runner = new Runner({
      engine,
      store: this.store,
      configuration: this.configuration,
      inventory: () => this.inventory,
      cdi: () => new Set(),
      processes: { ofContainer: () => [], end: () => undefined } as never,
      clock,
      random: () => 0.5,
      log: () => undefined,
    });
    this.service = new Service({
      runner: this.runner,
      store: this.store,
      engine,
      version: '1.0.0',
      history,
      configuration: this.configuration,
      clock,
    });
    this.listeners = new Listeners(this.service.answer);
  }

  /** Listens on the socket of administrators, and on one of each tenant. */
  async listen(): Promise<void> {
    await this.listeners.socket(this.socket, 0o600, {});
    for (const { name } of this.configuration.tenants) {
      await this.listeners.socket(this.socketOf(name), 0o600, { tenant: name });
    }
  }

  socketOf(tenant: string): string {
    return join(this.folder, `${tenant}.sock`);
  }

  queued(changes: Partial<TaskSpec>, minutesAgo = 1): Task {
    const sequence = this.store.nextSequence();
    const task = newTask(String(sequence), sequence, Date.now() - minutesAgo * MINUTE, spec(changes));
    this.runner.ledger.add([task]);
    return task;
  }

  /** A task that runs on devices. */
  running(changes: Partial<TaskSpec>, devices: readonly number[], minutes = 30): Task {
    const { id } = this.queued(changes, minutes + 5);
    const place: Placement = {
      devices,
      deviceIds: devices.map((index) => this.inventory.devices[index].id),
      mig: [],
      cpus: [],
      memoryNodes: [],
    };
    const at = Date.now() - minutes * MINUTE;
    return this.runner.ledger.commit(
      id,
      { kind: 'place', at, placements: [place] },
      { kind: 'created', member: 0, container: `container-of-${id}` },
      { kind: 'started', member: 0, at },
    )!;
  }

  ended(changes: Partial<TaskSpec>, code: number, message: string): Task {
    const { id } = this.running(changes, [], 12);
    const failure = code === 0 ? {} : { failure: { class: 'program' as const, message, exitCode: code } };
    return this.runner.ledger.commit(id, {
      kind: 'exited',
      member: 0,
      at: Date.now() - 3 * MINUTE,
      random: 0.5,
      code,
      ...failure,
    })!;
  }

  /** What a container writes. */
  write(task: Task, text: string): void {
    text
      .split(/(?<=\n)/)
      .forEach((line) =>
        this.output(`container-of-${task.id}`).write(
          frameBytes({ stream: 'stdout', data: Buffer.from(`2026-01-01T00:00:00.000000000Z ${line}`) }),
        ),
      );
  }

  async close(): Promise<void> {
    await this.listeners.close();
    await this.runner.stop();
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private output(container: string): PassThrough {
    const stream = this.outputs.get(container) ?? new PassThrough();
    this.outputs.set(container, stream);
    return stream;
  }
}

/** Eight H100 on two sockets, shared by two tenants, with something of everything a page can show. */
export function busyHost(): DockerHost {
  const devices = Array.from({ length: 8 }, (_, index): HostDevice => ({
    id: `GPU-5f8ea54c-71fe-4b1f-8a0e-00000000000${index}`,
    model: index === 7 ? 'L40S' : 'H100 80GB HBM3',
    memoryMiB: index === 7 ? 46_068 : 81_559,
    numa: index < 4 ? 0 : 1,
    ...(index === 7 ? {} : { island: index < 4 ? 'a' : 'b' }),
    ...(index === 6 ? { fault: 'remapping of memory rows is pending; reset the device' } : {}),
  }));
  const host = new DockerHost({
    devices,
    configuration: { tenants: { alice: { weight: 2, quota: { gpus: 4 } }, bob: { limit: { gpus: 4 } }, carol: {} } },
  });
  const torch = 'nvcr.io/nvidia/pytorch:25.09-py3';
  host.running(
    {
      tenant: 'alice',
      name: 'llama-finetune',
      image: torch,
      command: ['torchrun', '--nproc-per-node=4', 'train.py', '--config', 'configs/llama-8b.yaml'],
      devices: { kind: 'whole', count: 4 },
      timeLimitSeconds: 43_200,
    },
    [0, 1, 2, 3],
    190,
  );
  host.running(
    { tenant: 'bob', image: torch, command: ['python', 'eval.py'], devices: { kind: 'memory', mebibytes: 20_480 } },
    [4],
    55,
  );
  host.running(
    {
      tenant: 'carol',
      name: 'notebook',
      image: 'jupyter/base-notebook',
      devices: { kind: 'memory', mebibytes: 10_240 },
    },
    [4],
    600,
  );
  host.running(
    {
      tenant: 'bob',
      name: 'render',
      image: 'blender:4.5',
      command: ['blender', '-b', 'scene.blend'],
      devices: { kind: 'whole', count: 1 },
    },
    [7],
    12,
  );
  host.queued(
    {
      tenant: 'alice',
      name: 'pretrain',
      priority: 'high',
      image: torch,
      command: ['torchrun', 'pretrain.py'],
      devices: { kind: 'whole', count: 8 },
    },
    45,
  );
  host.queued(
    {
      tenant: 'bob',
      image: torch,
      command: ['python', '-c', 'import torch; print(torch.cuda.device_count())'],
      devices: { kind: 'whole', count: 2, models: ['H100'] },
    },
    20,
  );
  host.queued(
    {
      tenant: 'carol',
      image: torch,
      command: ['./sweep.sh', '--lr', '3e-4'],
      after: ['1'],
      devices: { kind: 'whole', count: 1 },
    },
    4,
  );
  host.ended({ tenant: 'alice', name: 'tokenize', image: 'python:3.13', command: ['python', 'tokenize.py'] }, 0, '');
  host.ended(
    { tenant: 'bob', image: torch, command: ['python', 'train.py', '--batch', '512'] },
    1,
    'exited with code 1',
  );
  remember(host);
  return host;
}

/** Six hours of measurements, without the hour in which the host was off. */
function remember({ history, inventory }: DockerHost): void {
  const now = Date.now();
  const ids = inventory.devices.map(({ id }) => id);
  for (let minute = 360; minute >= 0; minute--) {
    if (minute > 240 && minute < 300) {
      continue;
    }
    const held = new Set(
      ids.filter(
        (_, index) => (index < 4 && minute < 190) || (index === 4 && minute < 200) || (index === 7 && minute < 12),
      ),
    );
    const use = new Map(
      ids.map((id, index) => {
        const wave = (Math.sin(minute / 9 + index) + 1) / 2;
        const busy = held.has(id)
          ? index === 4
            ? 0.15 + 0.2 * wave
            : 0.82 + 0.16 * wave
          : minute > 300 && index < 6
            ? 0.5 * wave
            : 0;
        return [id, { busy, memoryMiB: Math.round(held.has(id) ? (0.5 + 0.3 * wave) * 46_000 : 600) }] as const;
      }),
    );
    history.record(now - minute * MINUTE, ids, use, held);
  }
}
