/**
 * What each object must wait for: objects that its constructs depend on, in any chart, the definition of its kind, and its namespace.
 *
 * Cost: one visit per pair of a dependency and an object below its target.
 */
import { ApiObject } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type RenderedObject } from '../../manifests/constructs';
import { asObject, asString } from '../../manifests/read';

const CRD = 'CustomResourceDefinition';

/** What each construct waits for. */
export type Edges = ReadonlyMap<IConstruct, ReadonlySet<ApiObject>>;

/**
 * The objects that each object must wait for, each once. An object never waits for itself.
 *
 * @param others constructs without objects that wait for objects as well
 * @throws if objects wait for each other
 */
export function edgesOf(rendered: readonly RenderedObject[], others: readonly IConstruct[]): Edges {
  const present = new Set(rendered.map(({ construct }) => construct));
  const definitions = new Map<string, ApiObject>();
  const namespaces = new Map<string, ApiObject>();
  for (const { construct, manifest } of rendered) {
    if (manifest.id.kind === CRD) {
      const spec = asObject(manifest.object.spec);
      definitions.set(`${asString(spec.group) ?? ''}/${asString(asObject(spec.names).kind) ?? ''}`, construct);
    } else if (manifest.id.kind === 'Namespace' && manifest.id.group === '') {
      namespaces.set(manifest.id.name, construct);
    }
  }
  const below = new Map<IConstruct, readonly ApiObject[]>();
  const objectsBelow = (target: IConstruct): readonly ApiObject[] => {
    let objects = below.get(target);
    if (objects === undefined) {
      objects = target.node
        .findAll()
        .filter((found): found is ApiObject => ApiObject.isApiObject(found) && present.has(found));
      below.set(target, objects);
    }
    return objects;
  };
  const stated = (construct: IConstruct): Set<ApiObject> =>
    new Set(construct.node.scopes.flatMap((scope) => scope.node.dependencies.flatMap(objectsBelow)));
  const edges = new Map<IConstruct, Set<ApiObject>>(others.map((construct) => [construct, stated(construct)]));
  for (const { construct, manifest } of rendered) {
    const targets = stated(construct);
    const definition = definitions.get(`${manifest.id.group}/${manifest.id.kind}`);
    const namespace = namespaces.get(manifest.id.namespace);
    for (const target of [definition, namespace]) {
      if (target !== undefined) {
        targets.add(target);
      }
    }
    targets.delete(construct);
    edges.set(construct, targets);
  }
  refuseCycles(edges);
  return withoutDetours(edges);
}

/** @throws if objects wait for each other: Pulumi would never create them */
function refuseCycles(edges: Edges): void {
  const done = new Set<IConstruct>();
  const trail: IConstruct[] = [];
  const visit = (object: IConstruct): void => {
    if (done.has(object)) {
      return;
    }
    const at = trail.indexOf(object);
    if (at >= 0) {
      const cycle = [...trail.slice(at), object].map(({ node }) => node.path).join(' → ');
      throw new Error(`these objects depend on each other: ${cycle}. Remove one of the dependencies.`);
    }
    trail.push(object);
    for (const target of edges.get(object) ?? []) {
      visit(target);
    }
    trail.pop();
    done.add(object);
  };
  for (const object of edges.keys()) {
    visit(object);
  }
}

/** Leaves out what a target waits for itself: Pulumi follows each edge, and charts that depend on charts have thousands. */
function withoutDetours(edges: Edges): Edges {
  const result = new Map<IConstruct, ReadonlySet<ApiObject>>();
  for (const [object, targets] of edges) {
    const indirect = new Set<ApiObject>();
    for (const target of targets) {
      for (const further of edges.get(target) ?? []) {
        if (further !== target) {
          indirect.add(further);
        }
      }
    }
    result.set(object, new Set([...targets].filter((target) => !indirect.has(target))));
  }
  return result;
}
