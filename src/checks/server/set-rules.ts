/**
 * What only shows when manifests are seen together: one object written twice, a second global default.
 */
import { BlockList, isIP } from 'node:net';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { oneOf } from '../../facts/words';
import { cite } from '../../facts/upstream';
import { type Manifest } from '../../manifests/manifest';
import { asObject } from '../../manifests/read';
import { type Severity } from '../report/finding';
import { type Rule, type SetRule } from '../rules/rule';
import { text, textsOf } from './values';

const objectOnce: SetRule = {
  id: 'core/object-once',
  tier: 'advice',
  severity: 'error',
  summary: 'Two manifests must not define the same object.',
  why: 'The manifest that is applied last overwrites the other.',
  source: 'kubernetes 1.36 (objects are identified by group, kind, namespace and name)',
  fix: 'Set metadata.name of one of the two objects to another name, or merge the two into one.',
  on: 'set',
  check: ({ set }) => {
    const seen = new Map<string, Manifest>();
    return set.manifests.flatMap((manifest) => {
      const { group, kind, namespace, name } = manifest.id;
      if (name === '' || kind === '') {
        return [];
      }
      const key = JSON.stringify([group, kind, namespace, name]);
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, manifest);
        return [];
      }
      const where = first.origin.file ?? first.origin.construct;
      const severity = severityBetween(first, manifest);
      return [
        {
          manifest,
          path: '/metadata/name',
          severity,
          message: `the ${kind} "${name}" is already defined ${where === undefined ? 'in these manifests' : `in ${where}`}`,
          found: name,
        },
      ];
    });
  },
};

/**
 * Files of one folder may be steps that are applied one after the other. Folders are alternatives: environments, overlays, examples.
 */
function severityBetween(first: Manifest, second: Manifest): Severity {
  const [one, other] = [first.origin.file ?? '', second.origin.file ?? ''];
  if (isDeepStrictEqual(first.object, second.object) || dirname(one) !== dirname(other)) {
    return 'info';
  }
  return one === other ? 'error' : 'warning';
}

const oneGlobalDefault: SetRule = {
  id: 'core/one-global-default-priority-class',
  row: 'K8',
  tier: 'server',
  severity: 'error',
  summary: 'At most one PriorityClass may be the global default.',
  why: 'The admission plugin Priority rejects the second one.',
  source: `${cite('kubernetes')}, plugin/pkg/admission/priority`,
  fix: 'Remove globalDefault: true from all PriorityClasses but one.',
  on: 'set',
  check: ({ set }) => {
    const defaults = set
      .ofKind('scheduling.k8s.io/PriorityClass')
      .filter(({ object }) => object.globalDefault === true);
    const [first] = defaults;
    return defaults
      .slice(1)
      .filter(({ id }) => id.name !== first?.id.name)
      .map((manifest) => ({
        manifest,
        path: '/globalDefault',
        message: `the PriorityClass "${first?.id.name ?? ''}" is already the global default`,
        found: true,
        expected: 'one PriorityClass with globalDefault: true',
      }));
  },
};

/** The ServiceCIDR that a server makes of its own flag. */
const OWN_RANGE = 'kubernetes';

const clusterIpInRange: SetRule = {
  id: 'core/service-cluster-ip-in-range',
  tier: 'server',
  severity: 'error',
  summary: "A Service's fixed clusterIP must be in a range of the cluster's ServiceCIDRs.",
  why: 'The API server rejects a Service whose address no range can allocate.',
  source: `${cite('kubernetes')}, pkg/registry/core/service/ipallocator`,
  fix: 'Set spec.clusterIP to an address of a ServiceCIDR, or remove it, so that the cluster allocates one.',
  on: 'set',
  check: ({ set }) => {
    const cidrs = set.ofKind('networking.k8s.io/ServiceCIDR');
    const ranges = cidrs.flatMap(({ object }) => textsOf(asObject(object.spec).cidrs, '').map(({ value }) => value));
    if (ranges.length === 0) {
      return [];
    }
    // Without the range of the server's own flag, the address may be in that one.
    const severity: Severity = cidrs.some(({ id }) => id.name === OWN_RANGE) ? 'error' : 'warning';
    return set.ofKind('Service').flatMap((manifest) => {
      const spec = asObject(manifest.object.spec);
      const addresses = textsOf(spec.clusterIPs, '/spec/clusterIPs');
      const fixed =
        text(spec.clusterIP) === '' ? addresses : [{ value: text(spec.clusterIP), path: '/spec/clusterIP' }];
      return fixed
        .filter(({ value }) => isIP(value) !== 0 && !ranges.some((range) => isInRange(value, range)))
        .map(({ value, path }) => ({
          manifest,
          path,
          severity,
          message: `the address ${value} must be in a range of the ServiceCIDRs (${ranges.join(', ')})`,
          found: value,
          expected: `an address in ${oneOf(ranges)}`,
        }));
    });
  },
};

function isInRange(address: string, range: string): boolean {
  const [base = '', bits = ''] = range.split('/');
  const family = isIP(base);
  const prefix = Number(bits);
  if (
    family === 0 ||
    family !== isIP(address) ||
    bits === '' ||
    !(prefix >= 0 && prefix <= (family === 4 ? 32 : 128))
  ) {
    return false;
  }
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(base, prefix, type);
  return list.check(address, type);
}

export const coreSetRules: readonly Rule[] = [objectOnce, oneGlobalDefault, clusterIpInRange];
