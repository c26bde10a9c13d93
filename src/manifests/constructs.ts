/**
 * Construct trees to manifests. The only file of this folder that knows cdk8s.
 */
import { ApiObject, Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type JsonObject, type JsonValue } from '../facts/api/schema';
import { idOf } from './identity';
import { type Manifest } from './manifest';
import { ManifestSet } from './manifest-set';
import { pointer } from './pointer';

/**
 * The manifests of everything below a construct, in the order in which cdk8s writes them, each with its construct path.
 *
 * @param scope an app, a chart or any construct
 * @throws if an object holds what JSON cannot: not-a-number, infinity, a function, a bigint, a symbol
 */
export function manifestsOf(scope: IConstruct): ManifestSet {
  return new ManifestSet(renderedObjects(scope).map(({ manifest }) => manifest));
}

/** A construct beside the manifest that was made of it. */
export interface RenderedObject {
  readonly construct: ApiObject;
  readonly manifest: Manifest;
}

/** What `manifestsOf` is made of, for who needs the constructs as well. */
export function renderedObjects(scope: IConstruct): readonly RenderedObject[] {
  const problems: string[] = [];
  const rendered = apiObjectsInOrder(scope).map((construct): RenderedObject => {
    const json = construct.toJson() as JsonObject;
    const { path } = construct.node;
    toPlainJson(json, (at, what) => problems.push(`${path}: ${at} is ${what}, which JSON cannot represent`));
    return { construct, manifest: { id: idOf(json), object: json, origin: { construct: path } } };
  });
  if (problems.length > 0) {
    throw new Error(`${problems.join('\n')}\nUse a number, a string, a boolean, a list, or a map.`);
  }
  return rendered;
}

/**
 * Empty list items become `null`, as cdk8s writes them, so that the check sees what the cluster would; all else that is no JSON is
 * reported. cdk8s has dropped empty map members already.
 */
function toPlainJson(value: JsonValue, report: (path: string, what: string) => void): void {
  // Pointers are made where they are reported: nearly all objects are plain.
  for (const key of Object.keys(value as JsonObject)) {
    const holder = value as Record<string, unknown>;
    const member = holder[key];
    switch (typeof member) {
      case 'object':
        if (member !== null) {
          toPlainJson(member as JsonObject, (inside, what) => report(pointer('', key) + inside, what));
        }
        break;
      case 'number':
        if (!Number.isFinite(member)) {
          report(pointer('', key), String(member));
        }
        break;
      case 'undefined':
        holder[key] = null;
        break;
      case 'function':
      case 'bigint':
      case 'symbol':
        report(pointer('', key), `a ${typeof member}`);
        break;
      case 'string':
      case 'boolean':
        break;
    }
  }
}

/**
 * cdk8s orders charts, and then the objects of each chart, by their dependencies: depth first, what others depend on before them. The
 * edges that `App.synth` adds to the tree itself (a dependency of constructs is one of all their objects) are found here without
 * touching it, because validation comes before that step.
 */
function apiObjectsInOrder(scope: IConstruct): ApiObject[] {
  const constructs = scope.node.findAll();
  const edges = new Map<IConstruct, Set<IConstruct>>();
  const connect = (source: IConstruct, target: IConstruct): void => {
    const targets = edges.get(source);
    if (targets === undefined) {
      edges.set(source, new Set([target]));
    } else {
      targets.add(target);
    }
  };
  const dependencies = constructs.flatMap((source) => source.node.dependencies.map((target) => ({ source, target })));
  for (const { source, target } of dependencies) {
    connect(source, target);
  }

  const charts = constructs.filter((construct) => Chart.isChart(construct));
  const chartOf = chartFinder(charts);
  for (const parent of charts) {
    for (const child of parent.node.children) {
      if (Chart.isChart(child)) {
        connect(parent, child);
      }
    }
  }
  for (const { source, target } of dependencies) {
    const [from, to] = [chartOf(source), chartOf(target)];
    if (from !== undefined && to !== undefined && from !== to) {
      connect(from, to);
    }
  }
  const objectsOf = objectFinder();
  for (const { source, target } of dependencies) {
    const from = chartOf(source);
    if (from !== chartOf(target)) {
      continue;
    }
    const targets = objectsOf(target).filter((object) => chartOf(object) === from);
    for (const object of objectsOf(source).filter((candidate) => chartOf(candidate) === from)) {
      for (const other of targets) {
        if (other !== object) {
          connect(object, other);
        }
      }
    }
  }

  const inChart = (nodes: readonly IConstruct[], chart: IConstruct | undefined): ApiObject[] =>
    topological(nodes, edges).filter(
      (found): found is ApiObject => ApiObject.isApiObject(found) && chartOf(found) === chart,
    );
  const inOrder = topological(constructs, edges).filter((construct) => Chart.isChart(construct));
  // A scope below a chart holds objects whose chart is above it.
  const outside = constructs.some((construct) => ApiObject.isApiObject(construct) && chartOf(construct) === undefined);
  return [
    ...(outside ? inChart(constructs, undefined) : []),
    ...inOrder.flatMap((chart) => inChart(chart.node.findAll(), chart)),
  ];
}

/** The chart that a construct lies in, among those given. */
function chartFinder(charts: readonly IConstruct[]): (construct: IConstruct) => IConstruct | undefined {
  const known = new Map<IConstruct, IConstruct | undefined>(charts.map((chart) => [chart, chart]));
  const find = (construct: IConstruct): IConstruct | undefined => {
    if (known.has(construct)) {
      return known.get(construct);
    }
    const chart = construct.node.scope === undefined ? undefined : find(construct.node.scope);
    known.set(construct, chart);
    return chart;
  };
  return find;
}

function objectFinder(): (construct: IConstruct) => readonly ApiObject[] {
  const known = new Map<IConstruct, readonly ApiObject[]>();
  return (construct) => {
    let objects = known.get(construct);
    if (objects === undefined) {
      objects = construct.node.findAll().filter((found): found is ApiObject => ApiObject.isApiObject(found));
      known.set(construct, objects);
    }
    return objects;
  };
}

/** Post-order over dependencies, from the constructs that nothing depends on. A circle is left for cdk8s to report. */
function topological(
  constructs: readonly IConstruct[],
  edges: ReadonlyMap<IConstruct, ReadonlySet<IConstruct>>,
): IConstruct[] {
  const inside = new Set(constructs);
  const inbound = new Set<IConstruct>();
  for (const source of constructs) {
    for (const target of edges.get(source) ?? []) {
      inbound.add(target);
    }
  }
  const visited = new Set<IConstruct>();
  const order: IConstruct[] = [];
  const visit = (construct: IConstruct): void => {
    if (visited.has(construct) || !inside.has(construct)) {
      return;
    }
    visited.add(construct);
    for (const target of edges.get(construct) ?? []) {
      visit(target);
    }
    order.push(construct);
  };
  for (const construct of constructs) {
    if (!inbound.has(construct)) {
      visit(construct);
    }
  }
  for (const construct of constructs) {
    visit(construct);
  }
  return order;
}
