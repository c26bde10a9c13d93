/**
 * Gives a node another MIG configuration, by the label that the MIG manager follows.
 *
 * The pods of the node are read from the API server first: the watch may be late, and another scheduler may have placed one. The write contains
 * the version of the Node that the decision saw, so whatever changed there meanwhile makes it void.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { GANTRY_MIG_CHANGE, isAcceleratorResource } from '../../../facts/catalog';
import { asArray, asObject, asString, stringEntries } from '../../../manifests/read';
import { type Repartition } from '../../../placement';
import { migChangeText, MIG_CONFIG, MIG_STATE } from '../../../planning/cluster/objects/mig-manager';
import { podRequest } from '../../../planning/cluster/objects/pod-request';
import { messageOf } from '../../api/api-error';
import { mayHaveHappened } from './attempts';
import { type EvictOptions } from './evict';

export type RepartitionOutcome =
  | { readonly kind: 'requested' }
  /** A pod has devices of the node. */
  | { readonly kind: 'in-use'; readonly message: string }
  /** A request got no answer: the watch shows whether it was carried out. */
  | { readonly kind: 'unknown'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * One try: what fails is decided again in a later cycle.
 *
 * @param known the Node as it was when the change was decided
 * @param at when it was decided, in the API server's time
 */
export async function repartition(
  { node, config, beneficiary }: Repartition,
  known: JsonObject,
  at: number,
  { client, timeout, leads }: EvictOptions,
): Promise<RepartitionOutcome> {
  try {
    const query = { fieldSelector: `spec.nodeName=${node}` };
    const list = asObject(await client.request('GET', '/api/v1/pods', { query, timeout, permit: leads }));
    const user = asArray(list.items)
      .map(asObject)
      .find((pod) => holdsDevices(pod, node));
    if (user !== undefined) {
      const { namespace, name } = asObject(user.metadata);
      return { kind: 'in-use', message: `Pod "${asString(namespace)}/${asString(name)}" has devices of the node.` };
    }
  } catch (error) {
    return { kind: 'refused', message: messageOf(error) };
  }
  const { labels, resourceVersion } = asObject(known.metadata);
  const change = { config, at, gang: beneficiary, labels: Object.fromEntries(stringEntries(labels)) };
  const metadata: JsonObject = {
    resourceVersion,
    // Until the MIG manager says so itself, so that a state that was left by an earlier change is not taken for that of this one.
    labels: { [MIG_CONFIG]: config, [MIG_STATE]: 'pending' },
    annotations: { [GANTRY_MIG_CHANGE]: migChangeText(change) },
  };
  try {
    const contentType = 'application/merge-patch+json';
    await client.request('PATCH', `/api/v1/nodes/${node}`, { body: { metadata }, contentType, timeout, permit: leads });
    return { kind: 'requested' };
  } catch (error) {
    return { kind: mayHaveHappened(error) ? 'unknown' : 'refused', message: messageOf(error) };
  }
}

/** A pod that was not finished when it was read, with devices by resource or by claim. */
function holdsDevices({ spec, status }: JsonObject, node: string): boolean {
  const { nodeName, resourceClaims } = asObject(spec);
  const phase = asString(asObject(status).phase);
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  return (
    nodeName === node &&
    !isOver &&
    (asArray(resourceClaims).length > 0 ||
      Object.entries(podRequest(asObject(spec))).some(([name, amount]) => amount > 0 && isAcceleratorResource(name)))
  );
}
