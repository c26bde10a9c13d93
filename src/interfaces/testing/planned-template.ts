/**
 * Assertions on where workloads land.
 */
import { readFileSync } from 'node:fs';
import { type IConstruct } from 'constructs';
import { nearestName } from '../../facts/spelling';
import { type ManifestSet } from '../../manifests/manifest-set';
import { type Policy } from '../../placement';
import { type ClusterState } from '../../planning/cluster/cluster-state';
import { type AskedGang, type ClusterPlan, hasItsPlaces, planOf } from '../../planning/cluster/plan';
import { readCluster } from '../../planning/cluster/read-cluster';
import { TemplateError } from './assertion-error';
import { type Matcher, matcherOf } from './matcher';

/** Options of `Template.plan`. */
export interface PlannedTemplateOptions {
  /** How the placement core chooses where it has a choice. @default - the defaults of the placement core */
  readonly policy?: Policy;
}

/** Where a workload lands. */
export interface Placed {
  /** Names of the nodes and how many of its pods each takes, in the order of the cluster. */
  readonly nodes: ReadonlyMap<string, number>;
  /** How many pods have a place. */
  readonly pods: number;
}

/**
 * A workload of the set: its construct, or its name as `namespace/name` or `name`.
 */
export type WorkloadName = IConstruct | string;

/**
 * The objects of a template, planned on a cluster. `Template.plan` makes it.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'llm', { name: 'llm', nodes: 2, image, accelerators: Accelerator.nvidia({ count: 8 }) });
 * const plan = Template.fromChart(chart).plan('clusters/training.yaml');
 * expect(plan.places('research/llm').nodes.size).toBe(2);
 */
export class PlannedTemplate {
  /** Plans a set of manifests on a cluster. @throws ClusterFileError if the file cannot be read as a cluster */
  static of(set: ManifestSet, cluster: ClusterState | string, options: PlannedTemplateOptions = {}): PlannedTemplate {
    const state = typeof cluster === 'string' ? readCluster(readFileSync(cluster, 'utf8'), cluster) : cluster;
    return new PlannedTemplate(planOf(set, state, options));
  }

  private constructor(
    /** The whole plan. */
    readonly plan: ClusterPlan,
  ) {}

  /**
   * Asserts that the workload has a place for each of its pods, and returns the nodes.
   *
   * @throws TemplateError with the reason why it waits and what would let it start
   * @throws TypeError if the set has no such workload
   */
  places(workload: WorkloadName): Placed {
    const gangs = this.gangsOf(workload);
    const waiting = gangs.find(({ view }) => !hasItsPlaces(view));
    if (waiting !== undefined) {
      throw new TemplateError(
        [
          `expected ${waiting.view.name} to be placed, but it is pending: ${reasonOf(waiting)}`,
          ...changesOf(waiting),
        ].join('\n  '),
        this,
        'places',
      );
    }
    const nodes = new Map<string, number>();
    for (const [node, pods] of gangs.flatMap(({ view }) => view.where)) {
      const { name } = this.plan.view.nodes[node];
      nodes.set(name, (nodes.get(name) ?? 0) + pods);
    }
    return { nodes, pods: gangs.reduce((sum, { view }) => sum + view.placed, 0) };
  }

  /**
   * Asserts that the workload waits, and returns the reason.
   *
   * @param reason the reason, or a matcher of it; any if it is left out
   * @throws TemplateError if the workload has its places, or waits for another reason
   * @throws TypeError if the set has no such workload
   */
  leavesPending(workload: WorkloadName, reason?: string | Matcher): string {
    const gangs = this.gangsOf(workload);
    const waiting = gangs.find(({ view }) => !hasItsPlaces(view));
    if (waiting === undefined) {
      throw new TemplateError(
        `expected ${gangs[0].view.name} to be pending, but all its pods are placed`,
        this,
        'leavesPending',
      );
    }
    const found = reasonOf(waiting);
    const matcher = reason === undefined ? undefined : matcherOf(reason, 'exact');
    if (matcher !== undefined && matcher.differences(found, '').length > 0) {
      throw new TemplateError(
        `expected ${waiting.view.name} to be pending with the reason ${matcher.name}, found "${found}"`,
        this,
        'leavesPending',
      );
    }
    return found;
  }

  /**
   * Asserts that every workload of the set has its places.
   *
   * @throws TemplateError with each workload that waits and its reason
   */
  placesAll(): void {
    const waiting = this.plan.asked.filter(({ view }) => !hasItsPlaces(view));
    if (waiting.length > 0) {
      throw new TemplateError(
        `expected every workload to be placed, but ${waiting.length} of ${this.plan.asked.length} ${waiting.length === 1 ? 'is' : 'are'} pending:\n` +
          waiting.map((gang) => `  ${gang.view.name}: ${reasonOf(gang)}`).join('\n'),
        this,
        'placesAll',
      );
    }
  }

  private gangsOf(workload: WorkloadName): readonly AskedGang[] {
    const found = this.plan.asked.filter((gang) =>
      typeof workload === 'string' ? isNamed(gang, workload) : isMadeBy(gang, workload.node.path),
    );
    if (found.length === 0) {
      const names = this.plan.asked.map(({ view }) => view.name);
      const named = typeof workload === 'string' ? `"${workload}"` : `the construct ${workload.node.path}`;
      const near = typeof workload === 'string' ? nearestName(workload, names) : undefined;
      throw new TypeError(
        `${named} is not a workload of the plan${near === undefined ? '' : ` (did you mean "${near}"?)`}; the workloads are ${names.join(', ') || 'none'}`,
      );
    }
    return found;
  }
}

function isNamed({ view, manifests }: AskedGang, name: string): boolean {
  return view.name === name || manifests.some(({ id }) => id.name === name || `${id.namespace}/${id.name}` === name);
}

function isMadeBy({ manifests }: AskedGang, path: string): boolean {
  return manifests.some(
    ({ origin: { construct } }) => construct === path || construct?.startsWith(`${path}/`) === true,
  );
}

function reasonOf({ view }: AskedGang): string {
  return (
    view.pending?.message ?? `only ${view.placed} of its ${view.pods} pods ${view.placed === 1 ? 'is' : 'are'} placed`
  );
}

function changesOf({ view }: AskedGang): readonly string[] {
  return view.pending?.changes ?? [];
}
