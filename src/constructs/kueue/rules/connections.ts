/**
 * Objects of Kueue that name each other. What the set itself contradicts is an error; what it does not know may live in the cluster.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rule';
import { nearestName } from '../../../facts/spelling';
import { isAcceleratorResource } from '../../../facts/catalog';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { podAmounts } from '../../../manifests/pod-amounts';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { selectorChooses } from '../../../manifests/selectors';
import {
  ADMISSION_CHECK,
  CLUSTER_QUEUE,
  COHORT,
  DEFAULT_LOCAL_QUEUE,
  KUEUE,
  LOCAL_QUEUE,
  MANAGED_JOBS,
  PRIORITY_LABEL,
  QUEUE_LABEL,
  RESOURCE_FLAVOR,
  TOPOLOGY,
  WORKLOAD_PRIORITY_CLASS,
} from '../kueue-facts';
import { groupsOf, isManaged, parentOf, queueNameOf } from '../queue-view';

type Facts = Pick<ObjectRule, 'kinds' | 'summary' | 'why' | 'source' | 'fix' | 'concerns'> &
  Partial<Pick<ObjectRule, 'severity'>>;

function adviceRule(
  id: string,
  facts: Facts,
  check: (manifest: Manifest, set: ManifestSet) => Iterable<Violation>,
): ObjectRule {
  return {
    severity: 'warning',
    ...facts,
    id: `kueue/${id}`,
    row: 'KU15',
    tier: 'advice',
    on: 'object',
    check: (manifest, { set }) => check(manifest, set),
  };
}

/** A name that is not among those of the set. Where the set has none of the kind, all of them live elsewhere. */
function unknown(set: ManifestSet, kind: string, name: string, path: string): readonly Violation[] {
  const names = set.ofKind(kind).map(({ id }) => id.name);
  if (name === '' || names.length === 0 || names.includes(name)) {
    return [];
  }
  const near = nearestName(name, names);
  const what = kind.split('/')[1] ?? kind;
  return [
    {
      path,
      message: `no ${what} ${name} is among these manifests, which have others`,
      found: name,
      expected: near === undefined ? names.slice(0, 6).join(', ') : near,
    },
  ];
}

const clusterQueueKnown = adviceRule(
  'cluster-queue-known',
  {
    kinds: [LOCAL_QUEUE],
    concerns: ['clusterQueue'],
    summary: 'The ClusterQueue of a LocalQueue is among those that are applied with it.',
    why: 'A LocalQueue without its ClusterQueue is inactive, and its workloads wait for ever.',
    source: `${KUEUE}, pkg/controller/core/localqueue_controller.go`,
    fix: 'Correct the name. If the cluster has the queue already, ignore this with that reason.',
  },
  ({ object }, set) =>
    unknown(set, CLUSTER_QUEUE, asString(asObject(object.spec).clusterQueue) ?? '', '/spec/clusterQueue'),
);

const flavorKnown = adviceRule(
  'flavor-known',
  {
    kinds: [CLUSTER_QUEUE, COHORT],
    concerns: ['flavors'],
    summary: 'The flavors of a queue are among those that are applied with it.',
    why: 'A ClusterQueue is inactive until all of its flavors exist.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, FlavorNotFound`,
    fix: 'Correct the name, or define the flavor.',
  },
  function* (manifest, set) {
    for (const { flavors } of groupsOf(manifest)) {
      for (const { name, path } of flavors) {
        yield* unknown(set, RESOURCE_FLAVOR, name, `${path}/name`);
      }
    }
  },
);

const checkKnown = adviceRule(
  'admission-check-known',
  {
    kinds: [CLUSTER_QUEUE],
    concerns: ['admissionChecksStrategy'],
    summary: 'The admission checks of a queue are among those that are applied with it.',
    why: 'A ClusterQueue is inactive until all of its admission checks exist and are active.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, AdmissionCheckNotFound`,
    fix: 'Correct the name, or define the check.',
  },
  function* ({ object }, set) {
    const checks = asObject(asObject(object.spec).admissionChecksStrategy).admissionChecks;
    for (const [index, check] of (Array.isArray(checks) ? checks : []).entries()) {
      yield* unknown(
        set,
        ADMISSION_CHECK,
        asString(asObject(check).name) ?? '',
        `/spec/admissionChecksStrategy/admissionChecks/${index}/name`,
      );
    }
  },
);

const topologyKnown = adviceRule(
  'topology-known',
  {
    kinds: [RESOURCE_FLAVOR],
    concerns: ['topologyName'],
    summary: 'The topology of a flavor is among those that are applied with it.',
    why: 'Queues with a flavor whose topology is missing are inactive.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, TopologyNotFound`,
    fix: 'Correct the name, or define the Topology.',
  },
  ({ object }, set) => unknown(set, TOPOLOGY, asString(asObject(object.spec).topologyName) ?? '', '/spec/topologyName'),
);

const priorityKnown = adviceRule(
  'workload-priority-class-known',
  {
    kinds: ['*'],
    concerns: [PRIORITY_LABEL],
    summary: `The label ${PRIORITY_LABEL} names a WorkloadPriorityClass.`,
    why: 'Without the class Kueue makes no Workload, and the job stays suspended.',
    source: `${KUEUE}, pkg/controller/jobframework/reconciler.go, PrepareWorkloadPriority`,
    fix: 'Define the WorkloadPriorityClass. A PriorityClass is named in the pods, by priorityClassName.',
  },
  ({ object }, set) => {
    const name = asString(asObject(asObject(object.metadata).labels)[PRIORITY_LABEL]) ?? '';
    const path = pointer('/metadata/labels', PRIORITY_LABEL);
    if (
      name !== '' &&
      set.get(WORKLOAD_PRIORITY_CLASS, name) === undefined &&
      set.get('scheduling.k8s.io/PriorityClass', name) !== undefined
    ) {
      return [
        {
          path,
          message: `${name} is a PriorityClass, and no WorkloadPriorityClass`,
          found: name,
          expected: 'a WorkloadPriorityClass',
        },
      ];
    }
    return unknown(set, WORKLOAD_PRIORITY_CLASS, name, path);
  },
);

const cohortTree = adviceRule(
  'cohort-tree-has-no-circle',
  {
    severity: 'error',
    kinds: [COHORT],
    concerns: ['parentName'],
    summary: 'No cohort is its own ancestor.',
    why: 'Kueue takes all queues below out of service while there is a circle.',
    source: `${KUEUE}, pkg/cache/hierarchy/cycle.go, HasCycle`,
    fix: 'Take parentName away from one of the cohorts.',
  },
  function* (manifest, set) {
    const way = [manifest.id.name];
    for (let parent = parentOf(manifest); parent !== undefined;) {
      way.push(parent);
      if (parent === manifest.id.name) {
        yield { path: '/spec/parentName', message: `the cohorts ${way.join(' → ')} are a circle`, found: way[1] };
        return;
      }
      const above = set.get(COHORT, parent);
      if (above === undefined || way.indexOf(parent) < way.length - 1) {
        return;
      }
      parent = parentOf(above);
    }
  },
);

const namespaceChosen = adviceRule(
  'namespace-chosen-by-cluster-queue',
  {
    severity: 'error',
    kinds: [LOCAL_QUEUE],
    concerns: ['clusterQueue'],
    summary: 'A ClusterQueue chooses the namespaces of its local queues.',
    why: 'Workloads of a namespace that the selector does not choose stay inadmissible.',
    source: `${KUEUE}, pkg/scheduler/scheduler.go, NamespaceSelector`,
    fix: 'Give the namespace the labels of the selector, or widen the selector.',
  },
  function* ({ object, id }, set) {
    const queue = set.get(CLUSTER_QUEUE, asString(asObject(object.spec).clusterQueue) ?? '');
    const namespace = set.get('Namespace', id.namespace);
    const selector = asObject(queue?.object.spec).namespaceSelector;
    if (queue === undefined || namespace === undefined || selector === undefined || selector === null) {
      return;
    }
    // The server gives every namespace its name as a label.
    const labels = {
      'kubernetes.io/metadata.name': id.namespace,
      ...asObject(asObject(namespace.object.metadata).labels),
    };
    if (!selectorChooses(selector, labels)) {
      yield {
        path: '/spec/clusterQueue',
        message: `the ClusterQueue ${queue.id.name} does not choose the namespace ${id.namespace}`,
        found: queue.id.name,
      };
    }
  },
);

const localQueueKnown = adviceRule(
  'local-queue-of-namespace',
  {
    kinds: ['*'],
    concerns: [QUEUE_LABEL],
    summary: 'A workload goes through a LocalQueue of its own namespace.',
    why: 'Kueue looks for the queue in the namespace of the workload alone; where there is none, the workload waits for ever.',
    source: `${KUEUE}, pkg/cache/queue/manager.go`,
    fix: 'Name a LocalQueue of the namespace, or make one there.',
  },
  function* (manifest, set) {
    const name = isManaged(manifest) ? queueNameOf(manifest) : undefined;
    const { namespace } = manifest.id;
    if (name === undefined || set.get(LOCAL_QUEUE, name, namespace) !== undefined) {
      return;
    }
    const path = pointer('/metadata/labels', QUEUE_LABEL);
    const queues = set.ofKind(LOCAL_QUEUE);
    const own = queues.filter(({ id }) => id.namespace === namespace).map(({ id }) => id.name);
    const elsewhere = queues.filter(({ id }) => id.name === name).map(({ id }) => id.namespace);
    if (set.get(CLUSTER_QUEUE, name) !== undefined) {
      yield {
        severity: 'error',
        path,
        message: `${name} is a ClusterQueue; workloads name a LocalQueue`,
        found: name,
        expected: own.join(', ') || 'a LocalQueue of the namespace',
      };
    } else if (elsewhere.length > 0 && namespace !== '') {
      yield {
        severity: 'error',
        path,
        message: `the LocalQueue ${name} is one of the namespace ${elsewhere.join(', ')}, the workload is in ${namespace}`,
        found: name,
        expected: own.join(', ') || `a LocalQueue in ${namespace}`,
      };
    } else if (own.length > 0) {
      yield {
        path,
        message: `the namespace ${namespace} has no LocalQueue ${name} among these manifests`,
        found: name,
        expected: nearestName(name, own) ?? own.join(', '),
      };
    }
  },
);

const inQueue = adviceRule(
  'job-in-queue',
  {
    kinds: [...MANAGED_JOBS].map((kind) => kind.replace(/\/\S+ /, '/')),
    summary: 'In a namespace with local queues, a job that asks for devices goes through one of them.',
    why: 'Kueue does not manage a job without the label (unless it is told to): it starts at once and takes devices that Kueue has given to others.',
    source: `${KUEUE}, pkg/controller/jobframework/setup.go, manageJobsWithoutQueueName`,
    fix: `Give it the label ${QUEUE_LABEL}, or make a LocalQueue called ${DEFAULT_LOCAL_QUEUE}, which takes those that name none.`,
    concerns: ['containers'],
  },
  function* (manifest, set) {
    const { apiVersion, kind, namespace } = manifest.id;
    if (!MANAGED_JOBS.has(`${apiVersion} ${kind}`) || queueNameOf(manifest) !== undefined || isOwned(manifest)) {
      return;
    }
    const queues = set
      .ofKind(LOCAL_QUEUE)
      .filter(({ id }) => id.namespace === namespace)
      .map(({ id }) => id.name);
    if (queues.length === 0 || queues.includes(DEFAULT_LOCAL_QUEUE)) {
      return;
    }
    const templates = set.podTemplatesOf(manifest);
    const elsewhere = templates.some(
      ({ spec }) => !['default-scheduler', undefined].includes(asString(spec.schedulerName)),
    );
    const devices = templates.some(({ spec }) =>
      [...podAmounts(spec).requests].some(([name, amount]) => isAcceleratorResource(name) && !amount.isZero()),
    );
    if (!devices || elsewhere) {
      return;
    }
    yield {
      path: '/metadata',
      message: `the ${kind} names no queue, and the namespace has ${queues.join(', ')}`,
      expected: `the label ${QUEUE_LABEL}`,
    };
  },
);

function isOwned({ object }: Manifest): boolean {
  const owners = asObject(object.metadata).ownerReferences;
  return Array.isArray(owners) && owners.length > 0;
}

const flavorNodes = adviceRule(
  'flavor-nodes-exist',
  {
    kinds: [RESOURCE_FLAVOR],
    concerns: ['nodeLabels'],
    summary: 'Where nodes are among the manifests, some have the labels of a flavor.',
    why: 'Pods that are admitted to the flavor select by its labels, and wait for a node that does not come.',
    source: `${KUEUE}, pkg/podset/podset.go, FromAssignment`,
    fix: 'Correct the labels.',
  },
  function* ({ object }, set) {
    const nodes = set.ofKind('Node');
    const labels = stringEntries(asObject(object.spec).nodeLabels);
    if (nodes.length === 0 || labels.length === 0) {
      return;
    }
    const labelsOf = ({ object: { metadata } }: Manifest): JsonObject => asObject(asObject(metadata).labels);
    const has = (node: Manifest): boolean => labels.every(([key, value]) => labelsOf(node)[key] === value);
    if (nodes.some(has)) {
      return;
    }
    yield {
      path: '/spec/nodeLabels',
      message: `none of the ${nodes.length} nodes has these labels`,
      found: Object.fromEntries(labels),
      expected: 'labels of a node',
    };
  },
);

export const connectionRules: readonly Rule[] = [
  clusterQueueKnown,
  flavorKnown,
  checkKnown,
  topologyKnown,
  priorityKnown,
  cohortTree,
  namespaceChosen,
  localQueueKnown,
  inQueue,
  flavorNodes,
];
