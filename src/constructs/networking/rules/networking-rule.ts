/**
 * How rules of this domain are defined, and the kinds that they apply to.
 */
import { type JsonObject } from '../../../facts/api/schema';
import {
  type ObjectRule,
  type RuleContext,
  type RuleFacts,
  type SetRule,
  type Violation,
} from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, stringEntries } from '../../../manifests/read';

export const ATTACHMENT = 'k8s.cni.cncf.io/NetworkAttachmentDefinition';
export const NODE_POLICY = 'sriovnetwork.openshift.io/SriovNetworkNodePolicy';
export const SRIOV_NETWORK = 'sriovnetwork.openshift.io/SriovNetwork';
export const SRIOV_IB_NETWORK = 'sriovnetwork.openshift.io/SriovIBNetwork';
export const OVS_NETWORK = 'sriovnetwork.openshift.io/OVSNetwork';
export const POOL_CONFIG = 'sriovnetwork.openshift.io/SriovNetworkPoolConfig';
export const OPERATOR_CONFIG = 'sriovnetwork.openshift.io/SriovOperatorConfig';
export const NIC_CLUSTER_POLICY = 'mellanox.com/NicClusterPolicy';
export const NIC_NODE_POLICY = 'mellanox.com/NicNodePolicy';
export const HOST_DEVICE_NETWORK = 'mellanox.com/HostDeviceNetwork';
export const NFD_RULE = 'nfd.k8s-sigs.io/NodeFeatureRule';

type Facts = Omit<RuleFacts, 'id' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

/** A rule about one object's spec; its id without the domain. What a project's own code refuses, unless it says otherwise. */
export function specRule(
  id: string,
  facts: Facts,
  kinds: readonly string[],
  check: (spec: JsonObject, manifest: Manifest, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `networking/${id}`,
    on: 'object',
    kinds,
    check: (manifest, context) => check(asObject(manifest.object.spec), manifest, context),
  };
}

/** A rule about several objects of a set. */
export function setRule(id: string, facts: Facts, check: SetRule['check']): SetRule {
  return { tier: 'webhook', severity: 'error', ...facts, id: `networking/${id}`, on: 'set', check };
}

/** Whether every node that the second selector chooses is chosen by the first as well. */
function selectsAll(first: JsonObject, second: JsonObject): boolean {
  const narrow = new Map(stringEntries(second));
  return stringEntries(first).every(([key, value]) => narrow.get(key) === value);
}

/** Whether two node selectors certainly meet on some nodes: one of them chooses all that the other does. */
export function certainlyMeet(one: JsonObject, other: JsonObject): boolean {
  return selectsAll(one, other) || selectsAll(other, one);
}

export function textAt(object: JsonObject, key: string): string {
  return asString(object[key]) ?? '';
}

interface MeetingPolicies {
  readonly first: Manifest;
  readonly second: Manifest;
  /** Their specs. */
  readonly one: JsonObject;
  readonly other: JsonObject;
}

/** Pairs of policies of one namespace that certainly meet on some nodes. */
export function* meetingPolicies(policies: readonly Manifest[]): Iterable<MeetingPolicies> {
  for (const [index, second] of policies.entries()) {
    const other = asObject(second.object.spec);
    for (const first of policies.slice(0, index)) {
      if (first.id.namespace !== second.id.namespace || first.id.name === second.id.name) {
        continue;
      }
      const one = asObject(first.object.spec);
      if (certainlyMeet(asObject(one.nodeSelector), asObject(other.nodeSelector))) {
        yield { first, second, one, other };
      }
    }
  }
}
