/**
 * SN3 and SN5: the virtual functions of a SriovNetworkNodePolicy: their number, and the ranges that several policies divide a card into.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { asArray, asInteger, asObject, stringsIn } from '../../../manifests/read';
import { hasVdpa, NVIDIA_CARDS } from '../sriov-facts';
import { meetingPolicies, NODE_POLICY, setRule, specRule, textAt } from './networking-rule';

const WEBHOOK = `${cite('sriov-network-operator')}, pkg/webhook/validate.go`;
const MOST_MELLANOX_FUNCTIONS = 128;

interface FunctionRange {
  readonly pf: string;
  readonly first: number;
  readonly last: number;
}

/** `ens2f0#0-3`, or a complaint. A name without a range has every function. */
function rangeOf(text: string): FunctionRange | string {
  const [pf = '', range, ...rest] = text.split('#');
  if (range === undefined) {
    return { pf, first: 0, last: Infinity };
  }
  const match = /^(\d+)-(\d+)$/.exec(range);
  if (rest.length > 0 || match === null) {
    return 'must have the form name#first-last';
  }
  const [, first, last] = match.map(Number);
  return { pf, first: first ?? 0, last: last ?? 0 };
}

/** The interface in `ens2f0#0-3`; an example where there is none. */
const nameIn = (text: string): string => /^[\w.-]+(?=#)/.exec(text)?.[0] ?? 'ens2f0';

const functionRanges = specRule(
  'sriov-function-range-valid',
  {
    row: 'SN3',
    summary: 'A range of virtual functions must be written as name#first-last, in order, and be below numVfs.',
    why: 'Functions count from 0; the webhook rejects a range that the card does not have.',
    source: WEBHOOK,
    fix: 'Set each entry of nicSelector.pfNames to a name, or to a name with a range of functions such as ens2f0#0-3.',
  },
  [NODE_POLICY],
  function* (spec) {
    const count = asInteger(spec.numVfs);
    for (const [index, name] of asArray(asObject(spec.nicSelector).pfNames).entries()) {
      if (typeof name !== 'string' || !name.includes('#')) {
        continue;
      }
      const range = rangeOf(name);
      const fault =
        typeof range === 'string'
          ? range
          : range.last < range.first
            ? 'must have a range with the first function before the last'
            : count !== undefined && range.last >= count
              ? `must select ${count < 1 ? 'no functions' : count === 1 ? 'only function 0' : `functions from 0 to ${count - 1}`}, because numVfs is ${count}`
              : undefined;
      if (fault !== undefined) {
        const most = count === undefined || count < 1 ? 3 : count - 1;
        yield {
          path: `/spec/nicSelector/pfNames/${index}`,
          message: `"${name}" ${fault}`,
          found: name,
          fix:
            count !== undefined && count < 1 && typeof range !== 'string'
              ? `Set spec.numVfs to at least ${Math.max(range.first, range.last) + 1}, or set nicSelector.pfNames[${index}] to ${nameIn(name)}.`
              : `Set nicSelector.pfNames[${index}] to a name, or to a name with a range of functions such as ${nameIn(name)}#0-${most}.`,
        };
      }
    }
  },
);

const rangesApart = setRule(
  'sriov-functions-apart',
  {
    row: 'SN3',
    summary:
      'Two policies for the same nodes must not take the same virtual functions, and all policies of a card must have the same externallyManaged.',
    why: 'The webhook rejects the second policy.',
    source: WEBHOOK,
    fix: 'Set nicSelector.pfNames of the policies to ranges that do not overlap, such as ens2f0#0-3 and ens2f0#4-7, or change nodeSelector so that the policies select different nodes.',
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
              message: `externallyManaged must be the same for "${own.pf}" here and in the SriovNetworkNodePolicy "${first.id.name}"`,
              fix: `Set spec.externallyManaged to the same value in both policies.`,
              found: other.externallyManaged ?? false,
            };
          }
          // A name without a range beside one with a range passes the webhook: the stronger priority wins.
          const open = (own.last === Infinity) !== (range.last === Infinity);
          if (!open && own.first <= range.last && range.first <= own.last) {
            yield {
              manifest: second,
              path,
              message: `the SriovNetworkNodePolicy "${first.id.name}" already selects some of the virtual functions of "${own.pf}"`,
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
          message: `the SriovNetworkNodePolicy "${first.id.name}" already selects the device ${device}`,
          fix: 'Remove the device from nicSelector.rootDevices in one of the policies, or change nodeSelector so that the policies select different nodes.',
          found: device,
        };
      }
    }
  },
);

const functionCount = specRule(
  'sriov-function-count-possible',
  {
    row: 'SN5',
    summary: 'numVfs must be at least 1, and at most 128 on NVIDIA cards.',
    why: 'The webhook rejects 0 and more than the card has (for other vendors, the card decides).',
    source: WEBHOOK,
    fix: 'Set numVfs to the number of functions for each card.',
  },
  [NODE_POLICY],
  function* (spec, { id }) {
    const count = asInteger(spec.numVfs);
    if (count === undefined || id.name === 'default') {
      return;
    }
    if (count === 0) {
      yield {
        path: '/spec/numVfs',
        message: 'numVfs must be greater than or equal to 1: 0',
        found: 0,
        expected: 'at least 1',
      };
    }
    const vendor = textAt(asObject(spec.nicSelector), 'vendor') || (hasVdpa(spec) ? NVIDIA_CARDS : '');
    if (vendor === NVIDIA_CARDS && count > MOST_MELLANOX_FUNCTIONS) {
      yield {
        path: '/spec/numVfs',
        message: `numVfs must be less than or equal to ${MOST_MELLANOX_FUNCTIONS} for NVIDIA cards, but is ${count}`,
        found: count,
        expected: `at most ${MOST_MELLANOX_FUNCTIONS}`,
      };
    }
  },
);

export const sriovFunctionRules: readonly Rule[] = [functionRanges, rangesApart, functionCount];
