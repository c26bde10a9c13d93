/**
 * Objects of Kueue that name each other. What the set itself contradicts is an error; what it does not know may live in the cluster.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { nearObject } from '../../../checks/server/near-object';
import { nearestOf } from '../../../facts/spelling';
import {
  findAccelerator,
  isAcceleratorResource,
  type KnownAcceleratorFacts,
  migResource,
  vendorOfResource,
} from '../../../facts/catalog';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { namesOfKind } from '../../../manifests/references/placed-names';
import { podAmounts } from '../../../manifests/pods/pod-amounts';
import { allOf, oneOfStrings } from '../../../facts/words';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, asString, objectsAt, stringEntries } from '../../../manifests/read';
import { selectorChooses } from '../../../manifests/references/selectors';
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
import { unknownName } from './unknown-name';
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

/** Namespaces that a message names. */
const MOST_NAMED = 6;

const clusterQueueKnown = adviceRule(
  'cluster-queue-known',
  {
    kinds: [LOCAL_QUEUE],
    concerns: ['clusterQueue'],
    summary: 'The ClusterQueue of a LocalQueue should be in the manifests or exist in the cluster.',
    why: 'A LocalQueue without its ClusterQueue is inactive, and its workloads wait forever.',
    source: `${KUEUE}, pkg/controller/core/localqueue_controller.go`,
    fix: 'Set spec.clusterQueue to the name of an existing ClusterQueue, or add the ClusterQueue to these manifests.',
  },
  ({ object }, set) =>
    unknownName(set, CLUSTER_QUEUE, asString(asObject(object.spec).clusterQueue) ?? '', '/spec/clusterQueue'),
);

const flavorKnown = adviceRule(
  'flavor-known',
  {
    kinds: [CLUSTER_QUEUE, COHORT],
    concerns: ['flavors'],
    summary: 'The flavors of a queue should be in the manifests or exist in the cluster.',
    why: 'A ClusterQueue is inactive until all of its flavors exist.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, FlavorNotFound`,
    fix: 'Set resourceGroups[].flavors[].name to the name of an existing ResourceFlavor, or add the ResourceFlavor to these manifests.',
  },
  function* (manifest, set) {
    const flavors = groupsOf(manifest).flatMap((group) => group.flavors);
    const taken = flavors.map(({ name }) => name);
    for (const { name, path } of flavors) {
      yield* unknownName(set, RESOURCE_FLAVOR, name, `${path}/name`, taken);
    }
  },
);

const checkKnown = adviceRule(
  'admission-check-known',
  {
    kinds: [CLUSTER_QUEUE],
    concerns: ['admissionChecksStrategy'],
    summary: 'The admission checks of a queue should be in the manifests or exist in the cluster.',
    why: 'A ClusterQueue is inactive until all of its admission checks exist and are active.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, AdmissionCheckNotFound`,
    fix: 'Set admissionChecks[].name to the name of an existing AdmissionCheck, or add the AdmissionCheck to these manifests.',
  },
  function* ({ object }, set) {
    const checks = objectsAt(object, '/spec/admissionChecksStrategy/admissionChecks');
    const nameOf = ({ value }: (typeof checks)[number]): string => asString(value.name) ?? '';
    const taken = checks.map(nameOf);
    for (const check of checks) {
      yield* unknownName(set, ADMISSION_CHECK, nameOf(check), `${check.path}/name`, taken);
    }
  },
);

const topologyKnown = adviceRule(
  'topology-known',
  {
    kinds: [RESOURCE_FLAVOR],
    concerns: ['topologyName'],
    summary: 'The topology of a flavor should be in the manifests or exist in the cluster.',
    why: 'Queues with a flavor whose topology does not exist are inactive.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, TopologyNotFound`,
    fix: 'Set spec.topologyName to the name of an existing Topology, or add the Topology to these manifests.',
  },
  ({ object }, set) =>
    unknownName(set, TOPOLOGY, asString(asObject(object.spec).topologyName) ?? '', '/spec/topologyName'),
);

const priorityKnown = adviceRule(
  'workload-priority-class-known',
  {
    kinds: ['*'],
    concerns: [PRIORITY_LABEL],
    summary: `The label ${PRIORITY_LABEL} should name a WorkloadPriorityClass.`,
    why: 'Without the class Kueue creates no Workload, and the job stays suspended.',
    source: `${KUEUE}, pkg/controller/jobframework/reconciler.go, PrepareWorkloadPriority`,
    fix: `Set ${PRIORITY_LABEL} to the name of a WorkloadPriorityClass, or remove it and set priorityClassName of the pods to the PriorityClass.`,
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
          message: `"${name}" is a PriorityClass, not a WorkloadPriorityClass, so Kueue does not admit the workload`,
          found: name,
          expected: 'a WorkloadPriorityClass',
        },
      ];
    }
    return unknownName(set, WORKLOAD_PRIORITY_CLASS, name, path);
  },
);

const cohortTree = adviceRule(
  'cohort-tree-acyclic',
  {
    severity: 'error',
    kinds: [COHORT],
    concerns: ['parentName'],
    summary: 'A cohort must not be its own ancestor.',
    why: 'Kueue deactivates all queues in the cohorts as long as there is a cycle.',
    source: `${KUEUE}, pkg/cache/hierarchy/cycle.go, HasCycle`,
    fix: 'Remove spec.parentName from one of the cohorts.',
  },
  function* (manifest, set) {
    const way = [manifest.id.name];
    for (let parent = parentOf(manifest); parent !== undefined;) {
      way.push(parent);
      if (parent === manifest.id.name) {
        yield { path: '/spec/parentName', message: `the cohorts form a cycle: ${way.join(' → ')}`, found: way[1] };
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
    summary: 'The namespaceSelector of a ClusterQueue must match the namespaces of its LocalQueues.',
    why: 'Workloads in a namespace that the selector does not match stay inadmissible.',
    source: `${KUEUE}, pkg/scheduler/scheduler.go, NamespaceSelector`,
    fix: 'Add the labels in spec.namespaceSelector of the ClusterQueue to the namespace, or change spec.namespaceSelector so that it matches the namespace.',
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
        message: `the namespaceSelector of the ClusterQueue "${queue.id.name}" does not match the namespace "${id.namespace}"`,
        found: queue.id.name,
      };
    }
  },
);

/** What to do about a workload whose queue is not in its namespace. */
function queueFix(namespace: string, own: string, create: string): string {
  const isOne = own !== '' && !own.includes(', ');
  const queue = isOne ? own : own === '' ? `the name of a LocalQueue in the namespace "${namespace}"` : `one of ${own}`;
  return `Set the label ${QUEUE_LABEL} to ${queue}, or create ${create} in the namespace "${namespace}".`;
}

const localQueueKnown = adviceRule(
  'local-queue-of-namespace',
  {
    kinds: ['*'],
    concerns: [QUEUE_LABEL],
    summary: 'A workload should use a LocalQueue in its own namespace.',
    why: 'Kueue looks for the queue only in the namespace of the workload; if there is none, the workload waits forever.',
    source: `${KUEUE}, pkg/cache/queue/manager.go`,
    fix: `Set the label ${QUEUE_LABEL} to the name of a LocalQueue in the namespace of the workload, or create one there.`,
  },
  function* (manifest, set) {
    const name = isManaged(manifest) ? queueNameOf(manifest) : undefined;
    const { namespace } = manifest.id;
    const queues = namesOfKind(set, LOCAL_QUEUE);
    const inReach = queues.inReachOf(namespace);
    if (name === undefined || inReach.some((names) => names.has(name))) {
      return;
    }
    const path = pointer('/metadata/labels', QUEUE_LABEL);
    const own = inReach.map(({ listed }) => listed).join(', ');
    const elsewhere = queues.namespacesWith(name).slice(0, MOST_NAMED);
    if (set.get(CLUSTER_QUEUE, name) !== undefined) {
      yield {
        severity: 'error',
        path,
        message: `"${name}" is a ClusterQueue, but workloads are submitted to a LocalQueue`,
        found: name,
        expected: own || `a LocalQueue in the namespace "${namespace}"`,
        fix: queueFix(namespace, own, `a LocalQueue for the ClusterQueue "${name}"`),
      };
    } else if (elsewhere.length > 0) {
      yield {
        path,
        message: `the LocalQueue "${name}" is in ${elsewhere.length === 1 ? 'the namespace' : 'the namespaces'} ${allOf(elsewhere.map((other) => `"${other}"`))}, but the workload is in "${namespace}"`,
        found: name,
        expected: own || `a LocalQueue in the namespace "${namespace}"`,
        fix: queueFix(namespace, own, `the LocalQueue "${name}"`),
      };
    } else if (own !== '') {
      const nearest = nearestOf(inReach, name);
      const near = nearest && nearObject(set, { kind: LOCAL_QUEUE, name, path, value: name }, nearest);
      yield {
        path,
        message: `LocalQueue "${name}" not found in the namespace "${namespace}" in these manifests`,
        found: name,
        ...(near || { expected: own, fix: queueFix(namespace, own, `the LocalQueue "${name}"`) }),
      };
    }
  },
);

const inQueue = adviceRule(
  'job-in-queue',
  {
    kinds: [...MANAGED_JOBS].map((kind) => kind.replace(/\/\S+ /, '/')),
    summary: 'In a namespace with LocalQueues, a job that requests devices should use one of them.',
    why: 'Kueue does not manage a job without the label (unless it is configured to): the job starts immediately and uses devices that Kueue assigned to other workloads.',
    source: `${KUEUE}, pkg/controller/jobframework/setup.go, manageJobsWithoutQueueName`,
    fix: `Add the label ${QUEUE_LABEL} to metadata.labels, or create a LocalQueue "${DEFAULT_LOCAL_QUEUE}", which Kueue uses for jobs without the label.`,
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
      message: `the ${kind} requests devices but has no queue, so it starts without being admitted by Kueue`,
      expected: `the label ${QUEUE_LABEL}: ${oneOfStrings(queues)}`,
      fix: `Add the label ${QUEUE_LABEL}: ${oneOfStrings(queues)} to metadata.labels, or create a LocalQueue "${DEFAULT_LOCAL_QUEUE}", which Kueue uses for jobs without the label.`,
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
    summary: 'If the manifests contain nodes, at least one node should have the labels of each flavor.',
    why: 'Pods that are admitted to the flavor select nodes by its labels, and no node has them.',
    source: `${KUEUE}, pkg/podset/podset.go, FromAssignment`,
    fix: 'Set spec.nodeLabels of the flavor to labels that at least one node has.',
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
      message: `no node in these manifests has the labels of the flavor, so its pods stay pending`,
      found: Object.fromEntries(labels),
      expected: 'labels of a node',
    };
  },
);

const flavorOffersResource = adviceRule(
  'flavor-offers-resource',
  {
    kinds: [CLUSTER_QUEUE, COHORT],
    concerns: ['flavors'],
    summary: 'The accelerators of a quota should be those of the nodes that its flavor selects.',
    why: 'Kueue admits workloads to the flavor, and no node with its labels offers the resource: their pods stay pending, and the quota has no effect.',
    source: `${KUEUE}, pkg/podset/podset.go, FromAssignment; the catalog`,
    fix: 'Set resources[].name to a resource of the accelerator in spec.nodeLabels of the flavor, or use a different flavor.',
  },
  function* (manifest, set) {
    for (const { flavors } of groupsOf(manifest)) {
      for (const { name, quotas } of flavors) {
        const accelerator = acceleratorOfFlavor(set.get(RESOURCE_FLAVOR, name));
        for (const { resource, path, nominal } of accelerator === undefined ? [] : quotas) {
          if (accelerator === undefined || nominal?.isPositive() !== true || mayOffer(accelerator, resource)) {
            continue;
          }
          yield {
            path: `${path}/name`,
            message: `the flavor "${name}" selects nodes with ${accelerator.name}, which do not offer ${resource}`,
            found: resource,
            expected: accelerator.resource,
            fix: `Set ${fieldOf(path)}.name to ${accelerator.resource}, or use a flavor of nodes that offer ${resource}.`,
          };
        }
      }
    }
  },
);

/** The accelerator that the labels of a flavor select; `undefined` if they select none of the catalog. */
function acceleratorOfFlavor(flavor: Manifest | undefined): KnownAcceleratorFacts | undefined {
  for (const [key, value] of stringEntries(asObject(flavor?.object.spec).nodeLabels)) {
    const facts = findAccelerator(value);
    if (facts?.productLabelKey === key) {
      return facts;
    }
  }
  return undefined;
}

/** Resources of other vendors, and MIG profiles that the product does not have, are never offered by its nodes. */
function mayOffer({ vendor, mig }: KnownAcceleratorFacts, resource: string): boolean {
  const of = isAcceleratorResource(resource) ? vendorOfResource(resource) : undefined;
  if (of === undefined) {
    return true;
  }
  const profile = /^nvidia\.com\/mig-(?:\d+c\.)?(.+?)(?:\.shared)?$/.exec(resource)?.[1];
  return of === vendor && (profile === undefined || mig.some(({ name }) => migResource(name) === migResource(profile)));
}

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
  flavorOffersResource,
];
