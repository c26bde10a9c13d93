/**
 * Reads a scenario file. All mistakes are reported together, with the field names of the file.
 */
import { type ClusterNode, type Policy, type Queue } from '../../placement';
import { type Fields, meant } from '../cluster/files/fields';
import { readQueue, readQueueTerms } from '../cluster/files/queue-terms';
import { withCountedDevices } from '../cluster/nodes/further-nodes';
import { matches, readExpectation } from './read-expectations';
import { readFaults, readRemediation } from './read-faults';
import { readGang } from './read-gangs';
import { DEFAULT_NOTICE_SECONDS, type NodeGroup } from './read-nodes';
import { readReportEvent } from './read-reports';
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
import { deviceClaimsFor, haveClaims, withCharges } from './scenario-claims';
import { drawOutages, reclaimEvents, seedOf } from './spot';

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
  const written = byTime(
    [...fields.list('gangs').flatMap((gang) => readGang(gang, device)), ...jobsOf(fields, queues, device, source)],
    ({ arrivesAt }) => arrivesAt,
  );
  const gangs = withCharges(written, cluster.objects);
  checkNames(fields, cluster.nodes, queues, gangs);
  const hasClaims = haveClaims(gangs);
  const events = fields.list('events').flatMap((event) => readEvent(event, cluster.nodes, queues, gangs, device));
  const run = readRun(fields.fields('run'));
  const scaling = cluster.groups.flatMap((group) => group.scaling ?? []);
  const remediation = readRemediation(fields);
  const policy = policyOf(fields);
  checkFilters(fields, policy, cluster.nodes, queues);
  const scenario: Scenario = {
    name,
    ...(about === undefined ? {} : { about: about.trim() }),
    nodes: withoutLaterNodes(hasClaims ? cluster.nodes : withCountedDevices(cluster.nodes), events),
    topologies: cluster.topologies,
    ...(hasClaims && { deviceClaims: deviceClaimsFor(gangs, cluster.objects, cluster.nodes, fields) }),
    queues,
    gangs,
    events: byTime(
      [...reportsOf(cluster.groups), ...events, ...interruptionsOf(cluster.groups, run, fields)],
      ({ at }) => at,
    ),
    ...(scaling.length > 0 && { scaling }),
    ...(remediation !== undefined && { remediation }),
    policy,
    run,
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

/** What agents report from the beginning. */
function reportsOf(groups: readonly NodeGroup[]): readonly ScenarioEvent[] {
  return groups.flatMap(({ report }) => (report === undefined ? [] : [{ at: 0, kind: 'report', report } as const]));
}

/** Of one moment, in the order of the file. */
function byTime<T>(list: readonly T[], timeOf: (item: T) => number): readonly T[] {
  return [...list].sort((a, b) => timeOf(a) - timeOf(b));
}

/** A node whose first event is that it joins is not there before. */
function withoutLaterNodes(nodes: readonly ClusterNode[], events: readonly ScenarioEvent[]): readonly ClusterNode[] {
  const first = new Map<string, ScenarioEvent['kind']>();
  for (const event of byTime(events, ({ at }) => at)) {
    const named = 'nodes' in event ? event.nodes : [];
    named.filter((name) => !first.has(name)).forEach((name) => first.set(name, event.kind));
  }
  return nodes.map((node) => (first.get(node.name) === 'join' ? { ...node, ready: false } : node));
}

/** Interruptions of the spot nodes, drawn for the length of the run. */
function interruptionsOf(
  groups: readonly NodeGroup[],
  { seconds }: Scenario['run'],
  fields: Fields,
): readonly ScenarioEvent[] {
  return groups.flatMap(({ nodes, spot }) => {
    if (spot === undefined) {
      return [];
    }
    if (seconds === undefined) {
      fields.wrongAt('run.for', 'is required for spot nodes, whose interruptions have no end');
      return [];
    }
    const expected = Math.round((nodes.length * seconds * spot.interruptionsPerHour) / 3600);
    if (expected > MOST_INTERRUPTIONS) {
      fields.wrongAt('run.for', `gives about ${expected} interruptions; at most ${MOST_INTERRUPTIONS} are simulated`);
      return [];
    }
    return nodes.flatMap(({ name }) =>
      drawOutages(spot, seedOf(spot.seed, name), seconds).flatMap((outage) => reclaimEvents([name], outage)),
    );
  });
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

/** A filter that names what does not exist has no effect, and nothing would say so. */
function checkFilters(
  fields: Fields,
  { capacityFilters }: Policy,
  nodes: readonly ClusterNode[],
  queues: readonly Queue[],
): void {
  const pools = [...new Set(nodes.flatMap(({ pool }) => pool ?? []))];
  const names = queues.map(({ name }) => name);
  capacityFilters.forEach((filter, index) => {
    const check = (key: 'pools' | 'queues', known: readonly string[], what: string): void =>
      filter[key]
        ?.filter((one) => !known.includes(one))
        .forEach((one) =>
          fields.wrong(
            `policy.capacityFilters[${index}].${key}`,
            one,
            known.length === 0 ? `the name of a ${what}` : `one of ${known.join(', ')}`,
            meant(one, known),
          ),
        );
    check('pools', pools, 'pool, which nodes have with pool: NAME');
    check('queues', names, 'queue');
  });
}

/** Interruptions of one entry of `nodes`. */
const MOST_INTERRUPTIONS = 200_000;
const EVENTS_OF_NODES = ['fail', 'return', 'drain', 'reclaim', 'join'] as const;

/** What happens to nodes at a moment, and what follows from it. */
function nodeEvents(fields: Fields, at: number, nodes: readonly ClusterNode[]): readonly ScenarioEvent[] {
  const lasts = fields.duration('for');
  const notice = fields.duration('notice');
  if (notice !== undefined && !fields.has('reclaim')) {
    fields.wrongAt('notice', 'must not be set without reclaim');
  }
  return EVENTS_OF_NODES.flatMap((kind): readonly ScenarioEvent[] => {
    const patterns = fields.texts(kind);
    if (patterns === undefined) {
      return [];
    }
    const names = nodes.map(({ name }) => name).filter((name) => patterns.some((pattern) => matches(pattern, name)));
    if (names.length === 0) {
      fields.wrong(kind, patterns.join(', '), 'names of nodes, or a pattern such as rack-2-* that matches a node');
    }
    if (kind === 'reclaim') {
      const from = at + (notice ?? DEFAULT_NOTICE_SECONDS);
      return reclaimEvents(names, { notice: at, from, to: lasts === undefined ? undefined : from + lasts });
    }
    const returns = lasts !== undefined && (kind === 'fail' || kind === 'drain');
    return [
      { at, kind, nodes: names },
      ...(returns ? [{ at: at + lasts, kind: 'return', nodes: names } as const] : []),
    ];
  });
}

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
  const events: ScenarioEvent[] = [
    ...nodeEvents(fields, at, nodes),
    ...readFaults(fields, at, nodes),
    ...readReportEvent(fields, at, nodes),
  ];
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
    fields.wrongAt(
      '',
      'must set one of fail, return, drain, reclaim, join, deviceFault, linkFault, condition, alert, report, queue, or cancel',
    );
  }
  return events;
}
