/**
 * Gangs of the placement core from workloads of manifests, and from what of them is in the cluster already.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ClusterNode, type Gang, type Pod, type PodTemplate, type Role, type Subgroup } from '../../../placement';
import { type ClusterGang } from '../cluster-state';
import { displayNames } from './gang-names';
import { type Lookups } from '../lookups';
import { admitted } from '../objects/flavors';
import { gangHintsOf, mergedHints } from '../objects/gang-hints';
import { gangIdentityOf, gangKey } from '../objects/gang-identity';
import { gangTerms, minimumOf, withPriorities } from '../objects/gangs';
import { templateOf } from '../objects/pod';
import { type PodGroupFacts } from '../objects/pod-group';
import { type GangFacts } from '../view/view-input';
import { hintsOf, namespaceOf, type Workload, type WorkloadRole } from '../workloads';

export interface PlannedGang {
  readonly gang: Gang;
  /** Those of its pods that are in the cluster, or have manifests of their own. */
  readonly pods: readonly Pod[];
  readonly facts: GangFacts;
  /** The manifests that it is made from; the first gives it its name. */
  readonly manifests: readonly Manifest[];
  readonly keys: readonly string[];
}

interface Draft {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly namespace: string;
  readonly group: PodGroupFacts | undefined;
  readonly workloads: Workload[];
  readonly together: boolean;
}

/**
 * @param before gangs of the cluster; those that a manifest represents are taken over with their pods
 */
export function plannedGangs(
  workloads: readonly Workload[],
  lookups: Lookups,
  before: readonly ClusterGang[],
  { since, budget }: Bounds,
): readonly PlannedGang[] {
  const drafts = new Map<string, Draft>();
  for (const workload of workloads) {
    const draft = draftOf(workload, lookups);
    const known = drafts.get(draft.key);
    if (known === undefined) {
      drafts.set(draft.key, draft);
    } else {
      known.workloads.push(workload);
    }
  }
  const names = displayNames([...drafts.values()].map(({ key, name }) => ({ key, name })));
  const templates = new SharedTemplates(lookups);
  const known = new Map(before.flatMap((one) => one.keys.map((key) => [key, one] as const)));
  return [...drafts.values()].map((draft, index) =>
    plannedGang(draft, names.get(draft.key)!, {
      lookups,
      templates,
      before: known.get(draft.key),
      arrival: since + index,
      budget,
    }),
  );
}

export interface Bounds {
  /** Gangs of manifests are younger than this, in the order of the manifests. */
  readonly since: number;
  readonly budget: PodBudget;
}

/** Maximum number of planned pods of all roles. */
const MOST_PODS = 1_000_000;

/** A typo can request a billion pods. A plan has no more pods of a role than all nodes together can run and one more, and a million of all roles. */
export class PodBudget {
  static of(nodes: readonly ClusterNode[]): PodBudget {
    return new PodBudget(nodes.reduce((sum, { allocatable }) => sum + (allocatable.pods ?? 0), 0));
  }

  private taken = 0;
  private wanted = 0;

  /** @param nodePods pods that all nodes together can run */
  constructor(readonly nodePods: number) {}

  /** How many of the pods of a role are planned. */
  take(count: number): number {
    const wanted = Math.min(count, this.nodePods + 1);
    const taken = Math.min(wanted, Math.max(1, MOST_PODS - this.taken));
    this.wanted += wanted;
    this.taken += taken;
    return taken;
  }

  /** What the plan says about pods that it leaves out. */
  get notes(): readonly string[] {
    return this.wanted <= MOST_PODS
      ? []
      : [`The workloads request ${this.wanted} pods; ${this.taken} of them are planned.`];
  }
}

/** Pods that name a gang or a pod group belong to it, whichever workloads they are of; else a workload is a gang of its own. */
function draftOf(workload: Workload, lookups: Lookups): Draft {
  const { manifest, suffix, roles, together } = workload;
  const namespace = namespaceOf(manifest.id);
  const [first] = roles;
  const named = gangIdentityOf({ metadata: { ...first.metadata, namespace, ownerReferences: [] }, spec: first.spec });
  const isNamed = named.kind === 'Gang' || named.kind === 'PodGroup';
  // Templates tell the gangs of one name apart by a label that pods get later: one gang for each group of the workload.
  const part = suffix === undefined ? '' : `-${suffix}`;
  const name = isNamed
    ? `${named.name}${part}`
    : `${manifest.id.name === '' ? `(unnamed ${manifest.id.kind})` : manifest.id.name}${part}`;
  const kind = isNamed && manifest.id.kind === 'Pod' ? named.kind : manifest.id.kind;
  const key = isNamed ? `${named.key}${part}` : gangKey(namespace, kind, name);
  return {
    key,
    name: `${namespace}/${name}`,
    kind,
    namespace,
    group: lookups.podGroups.get(named.key),
    workloads: [workload],
    together: together || isNamed,
  };
}

interface Around {
  readonly lookups: Lookups;
  readonly templates: SharedTemplates;
  readonly before: ClusterGang | undefined;
  readonly arrival: number;
  readonly budget: PodBudget;
}

function plannedGang(draft: Draft, name: string, { lookups, templates, before, arrival, budget }: Around): PlannedGang {
  const { workloads, group, namespace } = draft;
  const hints = mergedHints(group?.hints ?? {}, ...workloads.map(hintsOf));
  const several = workloads.length > 1;
  const queue = lookups.queue(hints.queue, namespace);
  const flavors = hints.queue === undefined || hints.queue.kind === 'queue' ? [] : lookups.flavors(queue);
  const roles = uniqueNames(
    workloads.flatMap((workload) =>
      workload.roles.map((role) => ({
        pod: workload.manifest.id.kind === 'Pod' ? workload.manifest.id.name : '',
        role: {
          ...role,
          count: budget.take(role.count),
          ...(several && { name: `${workload.manifest.id.name}/${role.name}` }),
        },
        template: admitted(templates.of(role, namespace, workload.manifest), flavors),
      })),
    ),
  );
  const subgroups: readonly Subgroup[] = workloads.flatMap((workload) => workload.subgroups ?? []);
  const gang: Gang = {
    name,
    queue,
    ...gangTerms(hints, lookups.priorities),
    ...minimumOf(hints, draft.together),
    arrival: before?.gang.arrival ?? arrival,
    roles: withPriorities(
      roles.map(({ role, template }) => placementRole(role, template, namespace, group)),
      roles.map(({ role }) => {
        const own = gangHintsOf(role.metadata, role.spec, namespace);
        return own.priority ?? lookups.priorities.of(own.priorityClassName);
      }),
    ),
    ...(subgroups.length > 0 && { subgroups }),
  };
  const [{ manifest }] = workloads;
  const named = barePods(roles, namespace);
  const running = before === undefined ? [] : adopted(before, gang, named);
  const known = new Set(running.map((pod) => pod.name));
  return {
    gang,
    pods: [
      ...running,
      ...[...named]
        .filter(([pod]) => !known.has(pod))
        .map(([pod, role]): Pod => ({ name: pod, gang: name, role, state: 'pending' })),
    ],
    facts: { kind: draft.kind, namespace, source: sourceOf(manifest) },
    manifests: workloads.map((workload) => workload.manifest),
    keys: [draft.key, ...(before?.keys ?? [])],
  };
}

function placementRole(
  role: WorkloadRole,
  template: PodTemplate,
  namespace: string,
  group: PodGroupFacts | undefined,
): Role {
  const own = gangHintsOf(role.metadata, role.spec, namespace).roleTopology;
  const topology = role.topology ?? own;
  const minimum = role.minimum ?? group?.roleMinimum[role.name];
  return {
    name: role.name,
    count: role.count,
    template,
    ...(minimum !== undefined && { minimum }),
    ...(topology !== undefined && { topology }),
    ...(role.subgroup !== undefined && { subgroup: role.subgroup }),
    ...(role.leader === true && { leader: true }),
  };
}

/** `pod`: name of the Pod that it is, or else empty. */
type NamedRole = { readonly pod: string; readonly role: WorkloadRole; readonly template: PodTemplate };

/** Names of pods that have manifests of their own, with their roles. */
function barePods(roles: readonly NamedRole[], namespace: string): ReadonlyMap<string, string> {
  return new Map(roles.flatMap(({ pod, role }) => (pod === '' ? [] : [[`${namespace}/${pod}`, role.name] as const])));
}

function uniqueNames(roles: readonly NamedRole[]): readonly NamedRole[] {
  const times = new Map<string, number>();
  return roles.map(({ role, ...rest }) => {
    const before = times.get(role.name) ?? 0;
    times.set(role.name, before + 1);
    return { ...rest, role: before === 0 ? role : { ...role, name: `${role.name}-${before}` } };
  });
}

/**
 * Pods that run belong to their own manifest, or to the role of their name, else to the first; more than the manifest asks for go with it.
 */
function adopted({ pods }: ClusterGang, gang: Gang, named: ReadonlyMap<string, string>): readonly Pod[] {
  return pods.map((pod): Pod => {
    const own = named.get(pod.name);
    if (own !== undefined) {
      return { ...pod, gang: gang.name, role: own };
    }
    const same = gang.roles.find((role) => role.name.toLowerCase() === pod.role?.toLowerCase()) ?? gang.roles[0];
    return { ...pod, gang: gang.name, role: same.name };
  });
}

/** Where an author finds it. */
export function sourceOf({ origin }: Manifest): NonNullable<GangFacts['source']> {
  const line = origin.locate?.('')?.line;
  return {
    ...(origin.construct !== undefined && { construct: origin.construct }),
    ...(origin.file !== undefined && { file: origin.file }),
    ...(line !== undefined && { line }),
  };
}

/** Templates of equal content are one value, which the core works on once. */
class SharedTemplates {
  private readonly bySource = new Map<JsonObject, Map<string, PodTemplate>>();
  private readonly byText = new Map<string, PodTemplate>();

  constructor(private readonly lookups: Lookups) {}

  of({ metadata, spec }: WorkloadRole, namespace: string, { id }: Manifest): PodTemplate {
    const known = this.bySource.get(spec)?.get(namespace);
    if (known !== undefined) {
      return known;
    }
    const made = templateOf({ metadata, spec, namespace }, this.lookups.options);
    const template =
      id.kind === 'Pod' && typeof spec.nodeName === 'string' ? { ...made, nodeName: spec.nodeName } : made;
    const text = JSON.stringify(template);
    const shared = this.byText.get(text) ?? template;
    this.byText.set(text, shared);
    const namespaces = this.bySource.get(spec) ?? new Map<string, PodTemplate>();
    this.bySource.set(spec, namespaces.set(namespace, shared));
    return shared;
  }
}
