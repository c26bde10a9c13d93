/**
 * A name that two namespaces of the package have. Each is listed with the reason why it cannot be taken for the other: either the
 * namespace says which one is meant and the wrong one does not compile, or both are one type.
 */
import { Surface } from './constructs';

/** By name: the namespaces that have it ('' is the package itself), and why that is fine. */
const COLLISIONS: Readonly<Record<string, readonly [namespaces: string, because: string]>> = {
  Amounts: [',placement', 'of the core, plain numbers by resource name; constructs take the closed type'],
  CronJob: [
    'batch,volcano',
    'kinds of one name in two projects; only the namespaces are exported, so an editor completes batch. or volcano. first',
  ],
  CronJobProps: ['batch,volcano', 'as CronJob; volcano.CronJob requires tasks, batch.CronJob an image'],
  Gang: [
    ',placement',
    'of the core, a value with requests; the other only describes the gang of a workload and is read, not written',
  ],
  HyperNode: ['placement,volcano', 'of the core, a value of a snapshot; the construct takes a scope'],
  Job: ['batch,volcano', 'as CronJob; volcano.Job requires tasks, batch.Job an image'],
  JobProps: ['batch,volcano', 'as Job'],
  JobTemplateProps: [
    'batch,volcano',
    'props of the Jobs that a batch.CronJob makes, and of the kind JobTemplate of Volcano',
  ],
  PodTemplate: [',placement', 'of the core, the requests of a role; a workload takes the class'],
  Policy: ['placement,volcano', 'of the core, an interface of the scheduler; volcano.Policy has a private constructor'],
  Queue: [
    'kai,placement,volcano',
    'queues of three systems; submitTo tells kai and volcano apart by their engine, and a value of the core is no reference',
  ],
  QueueProps: ['kai,volcano', 'as Queue; the parent of each is a queue of its own engine'],
  Reservation: [
    'nodeTuning,placement',
    'resources that a kubelet keeps, and nodes that the core keeps; no place takes both',
  ],
  TaintEffect: ['catalog,placement', 'the same three strings'],
  Topology: ['kueue,placement', 'of the core, a value of a snapshot; the construct takes a scope'],
};

const { names } = new Surface();

test('every name that two namespaces have is listed, with the reason why it is not confused', () => {
  const found = [...names]
    .filter(([, namespaces]) => namespaces.length > 1)
    .map(([name, namespaces]) => [name, [...namespaces].sort().join(',')]);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(COLLISIONS).map(([name, [namespaces]]) => [name, namespaces])),
  );
});

test('what every stack imports by its bare name is in no namespace but that of the core', () => {
  const bare = [...names].filter(([, namespaces]) => namespaces.includes(''));
  const others = bare.flatMap(([, namespaces]) => namespaces).filter((namespace) => namespace !== '');
  expect(new Set(others)).toEqual(new Set(['placement']));
});
