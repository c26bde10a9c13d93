/**
 * Shares of queues and quotas against the devices of the cluster: a share that no device can count has no effect.
 */
import { type OfferedDevices } from '../../../checks/offered-devices';
import { type Rule, type RuleContext, type SetRule, type Violation } from '../../../checks/rules/rule';
import { findAccelerator, GANTRY_PRODUCTS, isAcceleratorResource } from '../../../facts/catalog';
import { nearestName } from '../../../facts/spelling';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { deviceSharesIn, KINDS_WITH_PRODUCTS, productsOf } from '../../resources/shares';

const SOURCE = 'Kubernetes 1.36, pkg/apis/core/types.go (NodeStatus.Allocatable): pods get what nodes offer, by name';

/** What the nodes of a set offer; `undefined` if it has none with accelerators, and so does not say which devices there are. */
function offeredByNodes(set: ManifestSet): OfferedDevices | undefined {
  const resources = new Set<string>();
  const products = new Set<string>();
  let allNamed = true;
  for (const { object } of set.ofKind('Node')) {
    const { allocatable, capacity } = asObject(object.status);
    const names = [...Object.keys(asObject(allocatable)), ...Object.keys(asObject(capacity))];
    const devices = names.filter(isAcceleratorResource);
    if (devices.length === 0) {
      continue;
    }
    devices.forEach((name) => resources.add(name));
    const product = productOfNode(object);
    allNamed &&= product !== undefined;
    products.add(product ?? '');
  }
  if (resources.size === 0) {
    return undefined;
  }
  return allNamed ? { resources, products } : { resources };
}

/** The accelerator that the labels of a node name; `undefined` if they name none of the catalog. */
function productOfNode(node: Manifest['object']): string | undefined {
  for (const [key, value] of Object.entries(asObject(asObject(node.metadata).labels))) {
    const facts = /product|accelerator|instance-type|chip/.test(key)
      ? findAccelerator(asString(value) ?? '')
      : undefined;
    if (facts?.productLabelKey === key) {
      return facts.name;
    }
  }
  return undefined;
}

/** The pools of an app and the nodes of a set say together which devices there are. */
function offeredIn({ set, offered }: RuleContext): OfferedDevices | undefined {
  const nodes = offeredByNodes(set);
  if (nodes === undefined || offered === undefined) {
    return nodes ?? offered;
  }
  return {
    resources: new Set([...nodes.resources, ...offered.resources]),
    ...(nodes.products !== undefined &&
      offered.products !== undefined && { products: new Set([...nodes.products, ...offered.products]) }),
  };
}

const shareOffered: SetRule = {
  id: 'devices/share-offered',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A queue or quota must name accelerators that nodes of the cluster offer.',
  why: 'No pod gets a device that no node has, so the share limits and guarantees nothing, and the devices of the nodes have no share.',
  source: SOURCE,
  fix: 'Rename the resource in spec.deserved, spec.capability, or spec.hard to one that the nodes offer, or add a pool of nodes with the accelerator.',
  *check(context) {
    const offered = offeredIn(context);
    if (offered === undefined) {
      return;
    }
    const names = [...offered.resources].sort();
    for (const { manifest, path, resource, queue } of deviceSharesIn(context.set)) {
      if (offered.resources.has(resource)) {
        continue;
      }
      yield {
        manifest,
        path,
        message: `no node offers ${resource}, so the share${queue === undefined ? '' : ` of the queue "${queue}"`} can never be used`,
        found: resource,
        expected: nearestName(resource, names) ?? names.slice(0, 6).join(', '),
        fix: `Rename ${fieldOf(path)} to a resource that the nodes offer, or add a pool of nodes with the accelerator.`,
      };
    }
    yield* unknownProducts(context.set, offered);
  },
};

/** Shares of a product count its resource name alone: without nodes of the product, they count other devices. */
function* unknownProducts(
  set: ManifestSet,
  { products }: OfferedDevices,
): Iterable<Violation & { readonly manifest: Manifest }> {
  for (const manifest of products === undefined ? [] : KINDS_WITH_PRODUCTS.flatMap((kind) => set.ofKind(kind))) {
    for (const product of productsOf(manifest)) {
      const name = findAccelerator(product)?.name;
      if (name === undefined || products?.has(name) !== false) {
        continue;
      }
      yield {
        manifest,
        path: pointer('/metadata/annotations', GANTRY_PRODUCTS),
        message: `the shares are amounts of ${name}, but no node has this accelerator`,
        found: product,
        expected: [...products].sort().slice(0, 6).join(', '),
        fix: `Replace ${product} in the annotation ${GANTRY_PRODUCTS} with ${[...products].sort()[0] ?? 'the accelerator of a pool'}, or remove the annotation, so that the shares count all devices of the resource.`,
      };
    }
  }
}

export const shareRules: readonly Rule[] = [shareOffered];
