/**
 * Whether a workload can be admitted at all by the cluster queue that it goes to, where both are among the manifests.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { amountsOf, policyOf } from '../../../checks/server/admission/namespace-policy';
import { type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { podAmounts } from '../../../manifests/pods/pod-amounts';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { pointer } from '../../../manifests/pointer';
import { Quantity } from '../../../manifests/values/quantity';
import { asObject, asString, objectsAt } from '../../../manifests/read';
import {
  ELASTIC_ANNOTATION,
  KUEUE,
  MIN_PARALLELISM_ANNOTATION,
  PREFERRED_TOPOLOGY,
  REQUIRED_TOPOLOGY,
  RESOURCE_FLAVOR,
  SLICE_TOPOLOGY,
  TOPOLOGY,
} from '../kueue-facts';
import { countedNames } from './counted-resources';
import { flavorNames, type GroupView, groupsOf, parentOf, podsPerWorkload, queueOfWorkload } from '../queue-view';
import { allOf, counted, oneOfStrings } from '../../../facts/words';

type Found = Violation & { readonly manifest: Manifest };
type Facts = Pick<SetRule, 'summary' | 'why' | 'source' | 'fix' | 'severity'>;

interface Submitted {
  readonly workload: Manifest;
  readonly clusterQueue: Manifest;
  readonly templates: readonly PodTemplate[];
}

function admissionRule(
  id: string,
  facts: Facts,
  check: (submitted: Submitted, set: ManifestSet) => Iterable<Violation>,
): SetRule {
  return {
    ...facts,
    id: `kueue/${id}`,
    row: 'KU15',
    tier: 'advice',
    on: 'set',
    *check({ set }): Iterable<Found> {
      for (const workload of set.manifests) {
        const clusterQueue = queueOfWorkload(set, workload)?.clusterQueue;
        if (clusterQueue === undefined) {
          continue;
        }
        const submitted = { workload, clusterQueue, templates: set.podTemplatesOf(workload) };
        for (const violation of check(submitted, set)) {
          yield { ...violation, manifest: workload };
        }
      }
    },
  };
}

const covered = admissionRule(
  'requests-covered',
  {
    severity: 'warning',
    summary: 'A ClusterQueue should have quota for every resource that its workloads request.',
    why: 'A workload that requests a resource without quota is never admitted, unless the configuration of Kueue excludes the resource, transforms it into another, or maps its device class.',
    source: `${KUEUE}, pkg/scheduler/flavorassigner/flavorassigner.go, findFlavorForPodSets`,
    fix: 'Add the resource to coveredResources and to flavors[].resources of a resource group in the ClusterQueue, unless excludeResourcePrefixes, transformations, or deviceClassMappings in the Kueue configuration covers the resource.',
  },
  function* ({ clusterQueue, templates }, set) {
    const resources = new Set(groupsOf(clusterQueue).flatMap((group) => group.covered));
    const missing = new Map<string, string>();
    for (const template of templates) {
      const { path, count } = template;
      if (count === 0) {
        continue;
      }
      for (const [requested, amount] of amountsOf(template, set).requests) {
        for (const name of amount.isZero() ? [] : countedNames(set, requested)) {
          if (!resources.has(name) && !missing.has(name)) {
            missing.set(name, path);
          }
        }
      }
    }
    for (const [name, path] of missing) {
      yield {
        path: `${path}/spec`,
        message: `the pods request ${name}, but the ClusterQueue "${clusterQueue.id.name}" has no quota for it`,
        found: name,
        expected: resources.size === 0 ? 'a resource that the ClusterQueue covers' : oneOfStrings([...resources]),
      };
    }
  },
);

const withinQuota = admissionRule(
  'requests-within-quota',
  {
    severity: 'error',
    summary: 'A workload must not request more than its ClusterQueue can provide from one flavor.',
    why: 'Each pod set of a workload gets a resource from one flavor: a request above the sum of quota and borrowing limit of each flavor is never admitted.',
    source: `${KUEUE}, pkg/scheduler/flavorassigner/flavorassigner.go, fitsResourceQuota`,
    fix: 'Raise nominalQuota or borrowingLimit of the flavor, or lower resources.requests of the pods.',
  },
  function* ({ workload, clusterQueue, templates }, set) {
    if (isElastic(workload)) {
      return;
    }
    const groups = groupsOf(clusterQueue);
    const inCohort = parentOf(clusterQueue) !== undefined;
    for (const template of templates) {
      const { path } = template;
      const count = podsPerWorkload(template);
      if (count === undefined || count === 0) {
        continue;
      }
      for (const [name, amount] of amountsOf(template, set).requests) {
        const most = mostOf(groups, name, inCohort);
        const asked = amount.multiply(count);
        if (most === undefined || !asked.isGreaterThan(most)) {
          continue;
        }
        yield {
          path: `${path}/spec`,
          message: `${counted(count, 'pod')} ${count === 1 ? 'requests' : 'request'} more ${name} in total than the ClusterQueue "${clusterQueue.id.name}" can provide (${asked.toString()} > ${most.toString()})`,
          found: asked.toString(),
          expected: `at most ${most.toString()}`,
        };
      }
    }
  },
);

function isElastic({ object }: Manifest): boolean {
  const annotations = asObject(asObject(object.metadata).annotations);
  return annotations[MIN_PARALLELISM_ANNOTATION] !== undefined || annotations[ELASTIC_ANNOTATION] === 'true';
}

/** The most that one flavor can give; `undefined` where that has no bound, or the resource no quota. */
function mostOf(groups: readonly GroupView[], resource: string, inCohort: boolean): Quantity | undefined {
  const quotas = groups.flatMap(({ flavors }) =>
    flavors.flatMap((flavor) => flavor.quotas.filter((quota) => quota.resource === resource)),
  );
  if (quotas.length === 0 || (inCohort && quotas.some(({ borrowing }) => borrowing === undefined))) {
    return undefined;
  }
  return quotas.reduce((most, { nominal = Quantity.ZERO, borrowing }) => {
    const sum = inCohort && borrowing !== undefined ? nominal.add(borrowing) : nominal;
    return sum.isGreaterThan(most) ? sum : most;
  }, Quantity.ZERO);
}

const LEVELS = [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, SLICE_TOPOLOGY];

const levelKnown = admissionRule(
  'topology-level-of-flavor',
  {
    severity: 'error',
    summary: 'A topology that pods request must be a level of a flavor of their ClusterQueue.',
    why: 'Kueue cannot place the pods with a flavor that has no topology or lacks the level: the workload is never admitted.',
    source: `${KUEUE}, pkg/scheduler/flavorassigner/tas_flavorassigner.go, checkPodSetAndFlavorMatchForTAS`,
    fix: 'Set the annotation to a level of the Topology, or set spec.topologyName of the ResourceFlavor to a Topology with that level.',
  },
  function* ({ clusterQueue, templates }, set) {
    // A level without a label is reported where it is.
    const levels = levelsOf(set, clusterQueue)?.filter((label) => label !== '');
    if (levels === undefined) {
      return;
    }
    for (const { metadata, path } of templates) {
      for (const key of LEVELS) {
        const level = asString(asObject(metadata.annotations)[key]);
        if (level === undefined || levels.includes(level)) {
          continue;
        }
        const change = `spec.topologyName in a ResourceFlavor of the ClusterQueue "${clusterQueue.id.name}" to a Topology with the level "${level}"`;
        yield {
          path: pointer(`${path}/metadata/annotations`, key),
          message:
            levels.length === 0
              ? `no flavor of the ClusterQueue "${clusterQueue.id.name}" has a topology`
              : `no flavor of the ClusterQueue "${clusterQueue.id.name}" has the topology level "${level}"`,
          found: level,
          expected: levels.length === 0 ? 'a flavor with topologyName' : oneOfStrings(levels),
          fix:
            levels.length === 0
              ? `Set ${change}, or remove the annotation.`
              : `Set the annotation to ${oneOfStrings(levels)}, or set ${change}.`,
        };
      }
    }
  },
);

/** The levels of all flavors of a queue; `undefined` where not all of them are among the manifests. */
function levelsOf(set: ManifestSet, clusterQueue: Manifest): readonly string[] | undefined {
  const levels: string[] = [];
  for (const name of flavorNames(clusterQueue)) {
    const flavor = set.get(RESOURCE_FLAVOR, name);
    if (flavor === undefined) {
      return undefined;
    }
    const topologyName = asString(asObject(flavor.object.spec).topologyName);
    if (topologyName === undefined) {
      continue;
    }
    const topology = set.get(TOPOLOGY, topologyName);
    if (topology === undefined) {
      return undefined;
    }
    levels.push(
      ...objectsAt(topology.object, '/spec/levels').map(
        ({ value }: { value: JsonObject }) => asString(value.nodeLabel) ?? '',
      ),
    );
  }
  return [...new Set(levels)];
}

const requestsStated = admissionRule(
  'requests-stated',
  {
    severity: 'warning',
    summary: 'The pods of a workload should request the resources that their ClusterQueue has quota for.',
    why: 'Kueue counts requests: a workload without requests is admitted whatever the quota is, and uses resources for which others have quota. Requests from a LimitRange change with the LimitRange, not with the workload.',
    source: `${KUEUE}, pkg/workload/resources.go, AdjustResources`,
    fix: 'Set resources.requests of the containers to the amounts that they use.',
  },
  function* ({ workload, clusterQueue, templates }, set) {
    const covers = groupsOf(clusterQueue).flatMap((group) => group.covered);
    const filledIn = policyOf(set, workload).defaults.requests.size > 0;
    for (const { spec, path, count } of templates) {
      const { requests } = podAmounts(spec);
      if (count === 0 || covers.length === 0 || covers.every((name) => name === 'pods') || requests.size > 0) {
        continue;
      }
      yield {
        path: `${path}/spec/containers/0/resources`,
        ...(filledIn ? { severity: 'info' } : {}),
        message: filledIn
          ? 'the containers set no requests, so Kueue counts the defaults of a LimitRange in the namespace'
          : `the containers set no requests, so Kueue counts nothing against the quota of the ClusterQueue "${clusterQueue.id.name}"`,
        expected: `requests for ${allOf(covers)}`,
      };
    }
  },
);

export const admissionRules: readonly Rule[] = [requestsStated, covered, withinQuota, levelKnown];
