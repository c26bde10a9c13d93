/**
 * The table of `docs/scheduling.md`: which kind of workload can go through which scheduler, and what can be asked of it there. It is found
 * out by making each workload with each choice, so that it says what the constructs really do.
 */
import { App, Chart, Duration } from 'cdk8s';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { Checks } from '../../src/checks/synth/checks-of';
import { Queue as KaiQueue } from '../../src/constructs/kai';
import { LocalQueue } from '../../src/constructs/kueue';
import { Scheduling } from '../../src/constructs/pods';
import { GantryQueue } from '../../src/constructs/scheduler';
import { Queue } from '../../src/constructs/volcano';
import { EVERY_WORKLOAD, type MakeWorkload } from './every-workload';

const PAGE = resolve(__dirname, '../../docs/scheduling.md');
const BLOCK = /<!-- table of means -->\n[\s\S]*?<!-- end of table -->/;

const queue = Queue.fromName('research');
const local = LocalQueue.fromName('team');
const kaiQueue = KaiQueue.fromName('research');
const gantryQueue = GantryQueue.fromName('research');
const required = 'topology.kubernetes.io/zone';
const elastic = { min: 2 };

/** A choice, by what is asked of it beside the queue. */
export interface Choices {
  readonly engine: string;
  readonly targets: readonly KubernetesMinor[];
  readonly plain: Scheduling;
  readonly asking: Readonly<Record<string, Scheduling>>;
}

export const CHOICES: readonly Choices[] = [
  {
    engine: 'volcano',
    targets: ['1.36'],
    plain: Scheduling.volcano(queue),
    asking: {
      topology: Scheduling.volcano(queue, { topology: { required: 1 } }),
      elastic: Scheduling.volcano(queue, { elastic }),
      'minimum runtime': Scheduling.volcano(queue, { minimumRuntime: Duration.minutes(10) }),
    },
  },
  {
    engine: 'kueue',
    targets: ['1.36'],
    plain: Scheduling.kueue(local),
    asking: {
      topology: Scheduling.kueue(local, { topology: { required } }),
      elastic: Scheduling.kueue(local, { elastic }),
    },
  },
  {
    engine: 'kai',
    targets: ['1.36'],
    plain: Scheduling.kai(kaiQueue),
    asking: { 'not preemptible': Scheduling.kai(kaiQueue, { preemptible: false }) },
  },
  {
    engine: 'podGroup',
    targets: ['1.35', '1.36'],
    plain: Scheduling.podGroup(),
    asking: { topology: Scheduling.podGroup({ topology: { required } }), elastic: Scheduling.podGroup({ elastic }) },
  },
  {
    engine: 'schedulerPlugins',
    targets: ['1.36'],
    plain: Scheduling.schedulerPlugins(),
    asking: { elastic: Scheduling.schedulerPlugins({ elastic }) },
  },
  {
    engine: 'gantry',
    targets: ['1.36'],
    plain: Scheduling.gantry(gantryQueue),
    asking: {
      topology: Scheduling.gantry(gantryQueue, { topology: { required } }),
      elastic: Scheduling.gantry(gantryQueue, { elastic }),
      'minimum runtime': Scheduling.gantry(gantryQueue, { minimumRuntime: Duration.minutes(10) }),
      'hand-over': Scheduling.gantry(gantryQueue, { handOver: true }),
    },
  },
];

export function appFor(kubernetes: KubernetesMinor): App {
  const app = new App();
  Checks.of(app).target(kubernetes);
  return app;
}

/** A chart with the workload in a namespace of its own, or why there is none. */
export function made(
  make: MakeWorkload,
  scheduling: Scheduling | undefined,
  app: App,
  namespace = 'ml',
): Chart | Error {
  const chart = new Chart(app, namespace, { namespace });
  try {
    make(chart, scheduling as Scheduling<never>);
    return chart;
  } catch (error) {
    app.node.tryRemoveChild(namespace);
    return error instanceof Error ? error : new Error(String(error));
  }
}

export function schedulingTable(): string {
  const head = ['kind', ...CHOICES.map(({ engine }) => `\`${engine}\``)];
  const rows = Object.entries(EVERY_WORKLOAD).map(([kind, make]) => [
    kind,
    ...CHOICES.map((choices) => cell(make, choices)),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cell(make: MakeWorkload, { targets, plain, asking }: Choices): string {
  const able = targets.filter((target) => made(make, plain, appFor(target)) instanceof Chart);
  if (able.length === 0) {
    return 'no';
  }
  const only = able.length === targets.length ? '' : able.includes('1.35') ? ' (1.35)' : ' (1.36 and later)';
  const isTaken = (option: string): boolean =>
    able.some((target) => made(make, asking[option], appFor(target)) instanceof Chart);
  const options = Object.keys(asking).filter(isTaken);
  return `yes${options.length === 0 ? '' : `: ${options.join(', ')}`}${only}`;
}

/** The page with the table as it has to be. */
export function pageWithTable(): { readonly now: string; readonly wanted: string } {
  const now = readFileSync(PAGE, 'utf8');
  return {
    now,
    wanted: now.replace(BLOCK, () => `<!-- table of means -->\n${schedulingTable()}\n<!-- end of table -->`),
  };
}

if (require.main === module) {
  writeFileSync(PAGE, pageWithTable().wanted);
}
