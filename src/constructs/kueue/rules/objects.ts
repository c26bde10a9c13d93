/**
 * ClusterQueue, ResourceFlavor and Workload: what the webhooks demand of one object beyond its schema, quotas apart.
 */
import { oneOfStrings } from '../../../facts/words';
import { fixesByField } from '../../../checks/rules/field-fix';
import { nameFix } from '../../../checks/rules/name-fix';
import { type JsonValue } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { checkLabelSelector } from '../../../checks/server/selectors';
import { labelFault, labelValue, qualifiedName } from '../../../manifests/values/name-syntax';
import { type Manifest } from '../../../manifests/manifest';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { CLUSTER_QUEUE, ELASTIC_ANNOTATION, KUEUE, RESOURCE_FLAVOR, WORKLOAD } from '../kueue-facts';
import { flavorNames, groupsOf } from '../queue-view';

const QUEUE_WEBHOOK = `${KUEUE}, pkg/webhooks/clusterqueue_webhook.go`;
const FLAVOR_WEBHOOK = `${KUEUE}, pkg/webhooks/resourceflavor_webhook.go`;
const WORKLOAD_WEBHOOK = `${KUEUE}, pkg/webhooks/workload_webhook.go`;

type Facts = Pick<ObjectRule, 'row' | 'kinds' | 'summary' | 'why' | 'source' | 'fix' | 'concerns'> &
  Partial<Pick<ObjectRule, 'tier' | 'severity'>>;

function webhookRule(id: string, facts: Facts, check: (manifest: Manifest) => Iterable<Violation>): ObjectRule {
  return { tier: 'webhook', severity: 'error', ...facts, id: `kueue/${id}`, on: 'object', check };
}

const checkOnFlavors = webhookRule(
  'admission-check-flavor-of-queue',
  {
    row: 'KU7',
    kinds: [CLUSTER_QUEUE],
    concerns: ['onFlavors'],
    summary: 'An admission check must refer to flavors of its queue.',
    why: 'The webhook rejects the queue.',
    source: QUEUE_WEBHOOK,
    fix: 'Set each entry of onFlavors to a flavor in spec.resourceGroups, or add the flavor to spec.resourceGroups.',
  },
  function* (manifest) {
    const known = new Set(flavorNames(manifest));
    for (const { value, path } of objectsAt(manifest.object, '/spec/admissionChecksStrategy/admissionChecks')) {
      for (const [index, flavor] of stringsIn(value.onFlavors).entries()) {
        if (known.has(flavor)) {
          continue;
        }
        yield {
          path: `${path}/onFlavors/${index}`,
          message: `the ClusterQueue has no flavor "${flavor}"`,
          found: flavor,
          expected: known.size === 0 ? 'a flavor of the ClusterQueue' : oneOfStrings([...known]),
          fix:
            known.size === 0
              ? `Add the flavor "${flavor}" to spec.resourceGroups, or remove onFlavors[${index}].`
              : `Set onFlavors[${index}] to ${oneOfStrings([...known])}, or add the flavor "${flavor}" to spec.resourceGroups.`,
        };
      }
    }
  },
);

const concurrentAdmission = webhookRule(
  'concurrent-admission-fits-queue',
  {
    row: 'KU8',
    // The gate is off by default, and then the policy has no effect.
    severity: 'warning',
    kinds: [CLUSTER_QUEUE],
    concerns: ['concurrentAdmissionPolicy'],
    summary:
      'A queue with concurrentAdmissionPolicy must have one group of at most 16 flavors, must not be StrictFIFO, and may set constraints only in the ' +
      'mode TryPreferredFlavors, with one of its own flavors.',
    why: 'The webhook rejects the queue if the feature gate ConcurrentAdmission is on.',
    source: `${QUEUE_WEBHOOK}, validateConcurrentAdmissionPolicy`,
    fix: 'Remove concurrentAdmissionPolicy, or keep one entry in resourceGroups and set queueingStrategy: BestEffortFIFO.',
  },
  function* (manifest) {
    const spec = asObject(manifest.object.spec);
    if (!isObject(spec.concurrentAdmissionPolicy)) {
      return;
    }
    const groups = groupsOf(manifest);
    if (groups.length !== 1) {
      yield {
        path: '/spec/resourceGroups',
        message: `the ClusterQueue must have one resource group when concurrentAdmissionPolicy is set, but has ${groups.length}`,
        found: groups.length,
        expected: 'one group',
        fix: `${groups.length === 0 ? 'Add an entry to' : 'Keep one entry in'} spec.resourceGroups, or remove concurrentAdmissionPolicy.`,
      };
    }
    const flavors = groups[0]?.flavors ?? [];
    if (groups.length === 1 && flavors.length > 16) {
      yield {
        path: '/spec/resourceGroups/0/flavors',
        message: `the resource group must have no more than 16 flavors when concurrentAdmissionPolicy is set, but has ${flavors.length}`,
        found: flavors.length,
        expected: 'at most 16',
        fix: 'Keep at most 16 entries in resourceGroups[0].flavors, or remove concurrentAdmissionPolicy.',
      };
    }
    if (spec.queueingStrategy === 'StrictFIFO') {
      yield {
        path: '/spec/queueingStrategy',
        message: 'queueingStrategy must not be StrictFIFO when concurrentAdmissionPolicy is set',
        found: 'StrictFIFO',
        expected: 'BestEffortFIFO',
        fix: 'Set queueingStrategy: BestEffortFIFO, or remove concurrentAdmissionPolicy.',
      };
    }
    const migration = asObject(asObject(spec.concurrentAdmissionPolicy).migration);
    if (!isObject(migration.constraints)) {
      return;
    }
    const path = '/spec/concurrentAdmissionPolicy/migration/constraints';
    const mode = asString(migration.mode) ?? '';
    const last = asString(migration.constraints.lastAcceptableFlavorName);
    if (mode !== '' && mode !== 'TryPreferredFlavors') {
      yield {
        path,
        message: `migration.constraints must not be set when migration.mode is ${mode}`,
        expected: 'migration.mode: TryPreferredFlavors',
        fix: 'Remove migration.constraints, or set migration.mode: TryPreferredFlavors.',
      };
    } else if (last !== undefined && !flavors.some(({ name }) => name === last)) {
      yield {
        path: `${path}/lastAcceptableFlavorName`,
        message: `the ClusterQueue has no flavor "${last}"`,
        found: last,
        expected: oneOfStrings(flavors.map(({ name }) => name)),
        fix:
          flavors.length === 0
            ? 'Remove migration.constraints.lastAcceptableFlavorName.'
            : `Set migration.constraints.lastAcceptableFlavorName to ${oneOfStrings(flavors.map(({ name }) => name))}, or remove it.`,
      };
    }
  },
);

const selectorStated = webhookRule(
  'namespace-selector-stated',
  {
    row: 'KU15',
    tier: 'advice',
    severity: 'warning',
    kinds: [CLUSTER_QUEUE],
    summary: 'A ClusterQueue should set namespaceSelector.',
    why: 'An unset namespaceSelector matches no namespace: every workload stays inadmissible.',
    source: `${KUEUE}, apis/kueue/v1beta2/clusterqueue_types.go, NamespaceSelector`,
    fix: 'Set spec.namespaceSelector to {} for all namespaces, or to a label selector.',
  },
  function* ({ object }) {
    const selector = asObject(object.spec).namespaceSelector;
    if (selector === undefined || selector === null) {
      yield {
        path: '/spec',
        message: 'namespaceSelector is unset, so the ClusterQueue admits no workloads',
        expected: 'a label selector, or {} for all namespaces',
      };
    }
  },
);

const selectorValid = fixesByField(
  webhookRule(
    'namespace-selector-valid',
    {
      row: 'KU15',
      kinds: [CLUSTER_QUEUE],
      concerns: ['namespaceSelector'],
      summary: 'The namespaceSelector of a ClusterQueue must be a valid label selector.',
      why: 'The webhook rejects the queue.',
      source: `${QUEUE_WEBHOOK}, validateClusterQueueSpec`,
      fix: 'Set spec.namespaceSelector to valid label keys, operators, and values.',
    },
    ({ object }) => {
      const found: Violation[] = [];
      checkLabelSelector(asObject(object.spec).namespaceSelector, '/spec/namespaceSelector', (path, message, details) =>
        found.push({ path, message, ...details }),
      );
      return found;
    },
  ),
);

const flavorLabels = fixesByField(
  webhookRule(
    'flavor-node-labels-valid',
    {
      row: 'KU9',
      kinds: [RESOURCE_FLAVOR],
      concerns: ['nodeLabels'],
      summary: 'The nodeLabels of a flavor must be valid labels.',
      why: 'The webhook rejects the flavor.',
      source: FLAVOR_WEBHOOK,
      fix: 'Set spec.nodeLabels to valid label keys and values.',
    },
    function* ({ object }) {
      for (const [key, value] of stringEntries(asObject(object.spec).nodeLabels)) {
        const said = labelFault(key, value);
        if (said !== undefined) {
          const path = pointer('/spec/nodeLabels', key);
          yield {
            path,
            message: `the ${said.message}`,
            found: said.found,
            ...(said.ofValue === undefined ? {} : { fix: nameFix(fieldOf(path), said.ofValue, value) }),
          };
        }
      }
    },
  ),
);

const flavorTaints = fixesByField(
  webhookRule(
    'flavor-taints-and-tolerations-valid',
    {
      row: 'KU9',
      kinds: [RESOURCE_FLAVOR],
      concerns: ['nodeTaints', 'tolerations'],
      summary: 'Taints and tolerations of a flavor must have valid keys and values, and each taint must be unique.',
      why: 'The webhook rejects the flavor.',
      source: FLAVOR_WEBHOOK,
      fix: 'Set a valid key, value, and effect in each entry of spec.nodeTaints and spec.tolerations, and remove duplicates.',
    },
    function* ({ object }) {
      const seen = new Set<string>();
      for (const { value, path } of objectsAt(object, '/spec/nodeTaints')) {
        const [key, text, effect] = [
          asString(value.key) ?? '',
          asString(value.value) ?? '',
          asString(value.effect) ?? '',
        ];
        const badKey = qualifiedName(key);
        const badValue = labelValue(text);
        if (badKey !== undefined) {
          const fix = nameFix(`${fieldOf(path)}.key`, badKey, key);
          yield {
            path,
            message: `the taint key${key === '' ? '' : ` ${JSON.stringify(key)}`} must ${badKey}`,
            found: key,
            fix,
          };
        } else if (badValue !== undefined) {
          const fix = nameFix(`${fieldOf(path)}.value`, badValue, text);
          yield { path, message: `the taint value ${JSON.stringify(text)} must ${badValue}`, found: text, fix };
        }
        if (seen.has(`${key} ${effect}`)) {
          yield {
            path,
            message: `duplicate taint with the key "${key}" and the effect ${effect}`,
            found: key,
            expected: 'each combination of key and effect once',
            fix: `Remove ${fieldOf(path)}.`,
          };
        }
        seen.add(`${key} ${effect}`);
      }
      for (const { value, path } of objectsAt(object, '/spec/tolerations')) {
        const key = asString(value.key) ?? '';
        const complaint = key === '' ? undefined : qualifiedName(key);
        if (complaint !== undefined) {
          yield {
            path: `${path}/key`,
            message: `the toleration key ${JSON.stringify(key)} must ${complaint}`,
            found: key,
          };
        }
      }
    },
  ),
);

const RESERVED = 'pods';

const workloadPodSets = webhookRule(
  'workload-pod-sets-valid',
  {
    row: 'KU13',
    kinds: [WORKLOAD],
    concerns: ['podSets'],
    summary:
      'At most one pod set of a Workload may have a minCount, an elastic Workload must have none, and the resource `pods` must not be requested.',
    why: 'The webhook rejects the Workload.',
    source: WORKLOAD_WEBHOOK,
    fix: 'Keep minCount in one entry of spec.podSets, and remove the resource pods, which Kueue counts itself.',
  },
  function* ({ object }) {
    const sets = objectsAt(object, '/spec/podSets');
    const shrinking = sets.filter(({ value }) => asInteger(value.minCount) !== undefined);
    if (shrinking.length > 1) {
      yield {
        path: '/spec/podSets',
        message: `minCount must be set in at most one pod set, but is set in ${shrinking.length}`,
        found: shrinking.length,
        expected: 'at most 1',
        fix: 'Keep minCount in one entry of spec.podSets.',
      };
    }
    if (shrinking.length > 0 && asObject(asObject(object.metadata).annotations)[ELASTIC_ANNOTATION] === 'true') {
      yield {
        path: '/spec/podSets',
        message: 'an elastic Workload must not set minCount in a pod set',
        fix: `Remove minCount from spec.podSets, or remove the annotation ${ELASTIC_ANNOTATION}.`,
      };
    }
    for (const { path, value } of sets) {
      yield* reserved(asObject(asObject(value.template).spec), `${path}/template/spec`);
    }
  },
);

const workloadSlices = fixesByField(
  webhookRule(
    'workload-slice-size-valid',
    {
      row: 'KU13',
      kinds: [WORKLOAD],
      concerns: ['podSets'],
      summary:
        'A topology request of a Workload must set podSetSliceRequiredTopology and a podSetSliceSize greater than 0 together.',
      why: 'The webhook rejects the Workload.',
      source: `${WORKLOAD_WEBHOOK}, validateTASSliceSize`,
      fix: 'Set both podSetSliceRequiredTopology and podSetSliceSize, or neither.',
    },
    function* ({ object }) {
      for (const { value, path } of objectsAt(object, '/spec/podSets')) {
        const request = asObject(value.topologyRequest);
        const at = `${path}/topologyRequest/podSetSliceSize`;
        const hasTopology = (request.podSetSliceRequiredTopology ?? undefined) !== undefined;
        const size = asInteger(request.podSetSliceSize);
        if (hasTopology && size === undefined) {
          yield {
            path: at,
            message: 'podSetSliceSize must be set when podSetSliceRequiredTopology is set',
            fix: 'Set topologyRequest.podSetSliceSize to a number greater than 0, or remove topologyRequest.podSetSliceRequiredTopology.',
          };
        } else if (!hasTopology && size !== undefined) {
          yield {
            path: at,
            message: 'podSetSliceSize must not be set without podSetSliceRequiredTopology',
            found: size,
            fix: 'Set topologyRequest.podSetSliceRequiredTopology to a topology level, or remove topologyRequest.podSetSliceSize.',
          };
        } else if (size !== undefined && size <= 0) {
          yield { path: at, message: `podSetSliceSize must be greater than 0, but is ${size}`, found: size };
        }
      }
    },
  ),
);

function* reserved(spec: Readonly<Record<string, JsonValue>>, path: string): Iterable<Violation> {
  const holders = ['initContainers', 'containers'].flatMap((field) => objectsAt(spec, `/${field}`));
  for (const holder of [{ value: spec, path: '' }, ...holders]) {
    for (const form of ['requests', 'limits']) {
      const amounts = asObject(asObject(holder.value.resources)[form]);
      if (amounts[RESERVED] !== undefined) {
        yield {
          path: `${path}${holder.path}/resources/${form}/${RESERVED}`,
          message: `the resource "${RESERVED}" is reserved, because Kueue counts pods itself`,
          found: amounts[RESERVED],
          fix: `Remove ${RESERVED} from resources.${form}.`,
        };
      }
    }
  }
}

export const objectRules: readonly Rule[] = [
  checkOnFlavors,
  concurrentAdmission,
  selectorStated,
  selectorValid,
  flavorLabels,
  flavorTaints,
  workloadPodSets,
  workloadSlices,
];
