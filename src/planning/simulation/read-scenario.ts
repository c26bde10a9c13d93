/**
 * Reads a scenario file. All mistakes are reported together, with the field names of the file.
 */
import { type ClusterNode, type Queue } from '../../placement';
import { type Fields } from '../cluster/fields';
import { readQueue, readQueueTerms } from '../cluster/queue-terms';
import { matches, readExpectation } from './read-expectations';
import { readGang } from './read-gangs';
import {
  checkQueues,
  checkUnique,
  type ClusterSource,
  commonDevice,
  jobsOf,
  mergedQueues,
  policyOf,
  readCluster,
  readDocument,
  readRun,
} from './read-world';
import { type Scenario, type ScenarioEvent, type ScenarioGang } from './scenario';

/**
 * @param text YAML or JSON
 * @param file how messages name it
 * @param source finds the cluster file that the scenario names
 * @throws ScenarioError
 */
export function readScenario(text: string, file: string, source: ClusterSource): Scenario {
  return readDocument(text, file, (fields) => scenarioOf(fields, file, source));
}

function scenarioOf(fields: Fields, file: string, source: ClusterSource): Scenario {
  if (fields.has('podGroups')) {
    fields.wrongAt('podGroups', 'is a field of a conformance case; run these cases with `npm run conformance`');
  }
  const name = fields.text('name') ?? file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '');
  const about = fields.text('about');
  const cluster = readCluster(fields, file, source);
  const device = commonDevice(cluster.nodes);
  const queues = mergedQueues(
    cluster.queues,
    fields.list('queues').map((queue) => readQueue(queue, device)),
  );
  const gangs = byTime(
    [...fields.list('gangs').flatMap((gang) => readGang(gang, device)), ...jobsOf(fields, queues, device, source)],
    ({ arrivesAt }) => arrivesAt,
  );
  checkNames(fields, cluster.nodes, queues, gangs);
  const events = fields.list('events').flatMap((event) => readEvent(event, cluster.nodes, queues, gangs, device));
  const scenario: Scenario = {
    name,
    ...(about === undefined ? {} : { about: about.trim() }),
    ...cluster,
    queues,
    gangs,
    events: byTime(events, ({ at }) => at),
    policy: policyOf(fields),
    run: readRun(fields.fields('run')),
    expectations: fields.list('expect').map((expectation) =>
      readExpectation(expectation, {
        gangs: gangs.map(({ gang }) => gang.name),
        queues: queues.map((queue) => queue.name),
        nodes: cluster.nodes,
        device,
      }),
    ),
  };
  fields.done();
  return scenario;
}

/** Of one moment, in the order of the file. */
function byTime<T>(list: readonly T[], timeOf: (item: T) => number): readonly T[] {
  return [...list].sort((a, b) => timeOf(a) - timeOf(b));
}

function checkNames(
  fields: Fields,
  nodes: readonly ClusterNode[],
  queues: readonly Queue[],
  gangs: readonly ScenarioGang[],
): void {
  checkUnique(
    fields,
    'nodes',
    nodes.map(({ name }) => name),
  );
  checkUnique(
    fields,
    'gangs',
    gangs.map(({ gang }) => gang.name),
  );
  if (gangs.length === 0) {
    fields.wrongAt('gangs', 'must contain at least one gang');
  }
  checkQueues(fields, queues, new Set(gangs.map(({ gang }) => gang.queue)));
}

const NODE_EVENTS = ['fail', 'return', 'drain'] as const;

function readEvent(
  fields: Fields,
  nodes: readonly ClusterNode[],
  queues: readonly Queue[],
  gangs: readonly ScenarioGang[],
  device: string,
): ScenarioEvent[] {
  const at = fields.duration('at') ?? 0;
  if (!fields.has('at')) {
    fields.wrongAt('at', 'is required; set a time such as 30m');
  }
  const lasts = fields.duration('for');
  const events: ScenarioEvent[] = [];
  for (const kind of NODE_EVENTS) {
    const patterns = fields.texts(kind);
    if (patterns === undefined) {
      continue;
    }
    const names = nodes.map(({ name }) => name).filter((name) => patterns.some((pattern) => matches(pattern, name)));
    if (names.length === 0) {
      fields.wrong(kind, patterns.join(', '), 'names of nodes, or a pattern such as rack-2-* that matches a node');
    }
    events.push({ at, kind, nodes: names });
    if (lasts !== undefined && kind !== 'return') {
      events.push({ at: at + lasts, kind: 'return', nodes: names });
    }
  }
  const queue = fields.text('queue');
  if (queue !== undefined) {
    if (!queues.some(({ name }) => name === queue)) {
      fields.wrong('queue', queue, `the name of a queue: ${queues.map(({ name }) => name).join(', ')}`);
    }
    const set = fields.fields('set');
    if (set === undefined) {
      fields.wrongAt('set', 'is required; set the changes, such as {deserved: {gpus: 16}}');
    } else {
      events.push({ at, kind: 'queue', queue, set: readQueueTerms(set, device) });
    }
    set?.done();
  }
  const cancel = fields.text('cancel');
  if (cancel !== undefined) {
    const names = gangs.map(({ gang }) => gang.name).filter((name) => matches(cancel, name));
    if (names.length === 0) {
      fields.wrong('cancel', cancel, 'the name of a gang');
    }
    events.push(...names.map((gang): ScenarioEvent => ({ at, kind: 'cancel', gang })));
  }
  const before = fields.problems.length;
  fields.done();
  if (events.length === 0 && fields.problems.length === before) {
    fields.wrongAt('', 'must set one of fail, return, drain, queue, or cancel');
  }
  return events;
}
