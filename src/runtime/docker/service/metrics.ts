/**
 * What the runner reports to Prometheus, in its text format.
 */
import { type UseHistory } from '../devices/use-history';
import { type Ledger } from '../runner/ledger';
import { type RunnerStatus } from '../runner/runner-types';
import { isActive, isEnded, type Task } from '../task/task';
import { deviceAnswers } from './answers';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Upper bounds of the time in the queue, seconds. */
const WAITS = [1, 10, 60, 600, 3600, 6 * 3600, 86_400] as const;
const STATES = ['queued', 'starting', 'running', 'stopping'] as const;

interface Waits {
  readonly buckets: number[];
  sum: number;
  count: number;
}

export class Metrics {
  private readonly ended = new Map<string, number>();
  private readonly waits = new Map<string, Waits>();
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly ledger: Ledger,
    private readonly history: Pick<UseHistory, 'latest'>,
  ) {
    ledger.watch((task) => this.take(task));
  }

  text(status: RunnerStatus): string {
    const tasks = new Map<string, number>();
    for (const { spec, state } of this.ledger.openTasks) {
      const key = labels({ tenant: spec.tenant, state });
      tasks.set(key, (tasks.get(key) ?? 0) + 1);
    }
    const devices = deviceAnswers(status, this.ledger.active).map(
      ({ index, id, state }) => [labels({ index: String(index), device: id, state }), 1] as const,
    );
    return [
      family('gantry_docker_engine_connected', 'gauge', 'Whether the Docker engine answers.', [
        ['', status.isConnected ? 1 : 0],
      ]),
      family('gantry_docker_problem', 'gauge', 'Whether the runner cannot do something now, such as write its store.', [
        ['', status.problem === undefined ? 0 : 1],
      ]),
      family('gantry_docker_tasks', 'gauge', `Open tasks by state: ${STATES.join(', ')}.`, tasks),
      family('gantry_docker_devices', 'gauge', 'Devices by their state; 1 for each.', devices),
      family('gantry_docker_tasks_ended_total', 'counter', 'Tasks that ended, by state and failure class.', this.ended),
      ...this.useText(status),
      this.waitText(),
    ].join('');
  }

  private useText({ inventory }: RunnerStatus): readonly string[] {
    const labeled = inventory.devices.map(({ id, memoryMiB }, index) => ({
      suffix: labels({ index: String(index), device: id }),
      use: this.history.latest(id),
      memoryMiB,
    }));
    const samples = (value: (one: (typeof labeled)[number]) => number | undefined): readonly [string, number][] =>
      labeled.flatMap((one) => {
        const found = value(one);
        return found === undefined ? [] : [[one.suffix, found] as [string, number]];
      });
    return [
      family(
        'gantry_docker_device_busy_ratio',
        'gauge',
        'Part of the time in which the device worked, 0 to 1, as last measured.',
        samples(({ use }) => use?.busy),
      ),
      family(
        'gantry_docker_device_memory_used_bytes',
        'gauge',
        'Memory of the device in use, as last measured.',
        samples(({ use }) => (use?.memoryMiB === undefined ? undefined : use.memoryMiB * 2 ** 20)),
      ),
      family(
        'gantry_docker_device_memory_bytes',
        'gauge',
        'Memory of the device.',
        samples(({ memoryMiB }) => (memoryMiB === undefined ? undefined : memoryMiB * 2 ** 20)),
      ),
    ];
  }

  private take(task: Task): void {
    const { id, spec, state, attempt, failure } = task;
    if (isEnded(task)) {
      const key = labels({ tenant: spec.tenant, state, class: state === 'failed' ? (failure?.class ?? '') : '' });
      this.ended.set(key, (this.ended.get(key) ?? 0) + 1);
      this.attempts.delete(id);
    } else if (isActive(task) && this.attempts.get(id) !== attempt) {
      this.attempts.set(id, attempt);
      if (attempt === 1) {
        this.wait(spec.tenant, Math.max(0, (task.placedAt ?? task.submittedAt) - task.submittedAt) / 1000);
      }
    }
  }

  private wait(tenant: string, seconds: number): void {
    const waits = this.waits.get(tenant) ?? { buckets: WAITS.map(() => 0), sum: 0, count: 0 };
    WAITS.forEach((bound, index) => (waits.buckets[index] += seconds <= bound ? 1 : 0));
    waits.sum += seconds;
    waits.count++;
    this.waits.set(tenant, waits);
  }

  private waitText(): string {
    const name = 'gantry_docker_task_wait_seconds';
    const lines = [...this.waits].flatMap(([tenant, { buckets, sum, count }]) => [
      ...buckets.map((value, index) => `${name}_bucket${labels({ tenant, le: String(WAITS[index]) })} ${value}`),
      `${name}_bucket${labels({ tenant, le: '+Inf' })} ${count}`,
      `${name}_sum${labels({ tenant })} ${sum}`,
      `${name}_count${labels({ tenant })} ${count}`,
    ]);
    const text = 'Time from the submission of a task to its first placement.';
    return [`# HELP ${name} ${text}`, `# TYPE ${name} histogram`, ...lines, ''].join('\n');
  }
}

function family(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: Iterable<readonly [labels: string, value: number]>,
): string {
  const lines = [...samples].map(([suffix, value]) => `${name}${suffix} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labels(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, escaped)}"`);
  return `{${parts.join(',')}}`;
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}
