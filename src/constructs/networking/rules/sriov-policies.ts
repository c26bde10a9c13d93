/**
 * SN3, SN7: what the operator's webhook requires of the SriovNetworkNodePolicies of the same nodes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asArray, asObject, stringsIn } from '../../../manifests/read';
import { certainlyMeet, NODE_POLICY, setRule, textAt } from './networking-rule';
import { rangeOf, WEBHOOK } from './sriov-policy';

interface MeetingPolicies {
  readonly first: Manifest;
  readonly second: Manifest;
  /** Their specs. */
  readonly one: JsonObject;
  readonly other: JsonObject;
}

/** Pairs of policies of one namespace that certainly meet on some nodes. */
function* meetingPolicies(policies: readonly Manifest[]): Iterable<MeetingPolicies> {
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

const rangesApart = setRule(
  'sriov-functions-apart',
  {
    row: 'SN3',
    summary:
      'Two policies for the same nodes must not take the same virtual functions, and all policies of a card must have the same externallyManaged.',
    why: 'The webhook rejects the second policy.',
    source: WEBHOOK,
    fix: 'Set pfNames to different ranges (ens2f0#0-3 and ens2f0#4-7), or select different nodes.',
  },
  function* ({ set }) {
    for (const { first, second, one, other } of meetingPolicies(set.ofKind(NODE_POLICY))) {
      const theirs = stringsIn(asObject(one.nicSelector).pfNames)
        .map(rangeOf)
        .filter((range) => typeof range === 'object');
      for (const [index, name] of asArray(asObject(other.nicSelector).pfNames).entries()) {
        const own = typeof name === 'string' ? rangeOf(name) : '';
        if (typeof own === 'string') {
          continue;
        }
        for (const range of theirs.filter(({ pf }) => pf === own.pf)) {
          const path = `/spec/nicSelector/pfNames/${index}`;
          const managed = (one.externallyManaged === true) !== (other.externallyManaged === true);
          if (managed) {
            yield {
              manifest: second,
              path,
              message: `${first.id.name} has a different externallyManaged for ${own.pf}`,
              found: other.externallyManaged ?? false,
            };
          }
          // A name without a range beside one with a range passes the webhook: the stronger priority wins.
          const open = (own.last === Infinity) !== (range.last === Infinity);
          if (!open && own.first <= range.last && range.first <= own.last) {
            yield {
              manifest: second,
              path,
              message: `${first.id.name} already takes some of the functions of ${own.pf}`,
              found: name,
            };
          }
        }
      }
      for (const [index, device] of asArray(asObject(other.nicSelector).rootDevices).entries()) {
        if (typeof device !== 'string' || !stringsIn(asObject(one.nicSelector).rootDevices).includes(device)) {
          continue;
        }
        yield {
          manifest: second,
          path: `/spec/nicSelector/rootDevices/${index}`,
          message: `${first.id.name} already takes the device ${device}`,
          found: device,
        };
      }
    }
  },
);

const excludeTopology = setRule(
  'sriov-exclude-topology-agrees',
  {
    row: 'SN7',
    summary: 'Policies of the same resource must have the same excludeTopology.',
    why: 'The device plugin has one setting for the resource; the webhook rejects the second policy.',
    source: WEBHOOK,
    fix: 'Set the same excludeTopology in all policies of the resource, or use another resourceName.',
  },
  function* ({ set }) {
    for (const { first, second, one, other } of meetingPolicies(set.ofKind(NODE_POLICY))) {
      if (textAt(one, 'resourceName') === '' || one.resourceName !== other.resourceName) {
        continue;
      }
      if ((one.excludeTopology === true) === (other.excludeTopology === true)) {
        continue;
      }
      yield {
        manifest: second,
        path: '/spec/excludeTopology',
        message: `${first.id.name} has a different excludeTopology for ${textAt(one, 'resourceName')}`,
        found: other.excludeTopology ?? false,
        expected: String(one.excludeTopology === true),
      };
    }
  },
);

export const sriovPoliciesRules: readonly Rule[] = [rangesApart, excludeTopology];
