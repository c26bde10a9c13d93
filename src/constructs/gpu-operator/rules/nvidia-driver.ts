/**
 * NVIDIADriver: which driver goes on which nodes (row GO5).
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type SetRule, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { CLUSTER_POLICY } from './embedded';

const KIND = 'nvidia.com/NVIDIADriver';
const VALIDATOR = `${cite('nvidia-gpu-operator')}, internal/validator`;
const OWNER_LABEL = 'nvidia.com/gpu-operator.driver.owner';
const PRESENT_LABEL = 'nvidia.com/gpu.present';
/** The first GPUDirect Storage driver that is built against open kernel modules only. */
const GDS_OPEN_ONLY = [2, 17, 5] as const;

type Facts = Omit<RuleFacts, 'id' | 'row' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'severity' | 'tier'>>;

function driverRule(id: string, facts: Facts, check: (spec: JsonObject) => Iterable<Violation>): ObjectRule {
  return {
    row: 'GO5',
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `gpu-operator/${id}`,
    on: 'object',
    kinds: [KIND],
    check: ({ object }) => check(asObject(object.spec)),
  };
}

function driverSetRule(
  id: string,
  facts: Facts,
  check: (drivers: readonly Manifest[], policies: readonly Manifest[]) => Iterable<Violation & { manifest: Manifest }>,
): SetRule {
  return {
    row: 'GO5',
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `gpu-operator/${id}`,
    on: 'set',
    check: ({ set }) => check(set.ofKind(KIND), set.ofKind(CLUSTER_POLICY)),
  };
}

const isDefault = ({ object }: Manifest): boolean => asObject(object.spec).default === true;
const selectorOf = ({ object }: Manifest): ReadonlyMap<string, string> =>
  new Map(stringEntries(asObject(object.spec).nodeSelector));

export const nvidiaDriverRules: readonly Rule[] = [
  driverSetRule(
    'driver-one-default',
    {
      summary: 'At most one NVIDIADriver may be the default.',
      why: 'The operator deploys neither while there are two.',
      source: `${VALIDATOR}/nvidiadriver_node_selector_conflicts.go`,
      fix: 'Set spec.default: true in only one NVIDIADriver, and set spec.nodeSelector in the others.',
    },
    function* (drivers) {
      const [first, ...others] = drivers.filter(isDefault);
      for (const manifest of others) {
        yield {
          manifest,
          path: '/spec/default',
          message: `the NVIDIADriver "${first?.id.name ?? ''}" is already the default`,
          found: true,
          expected: 'one default',
        };
      }
    },
  ),

  driverSetRule(
    'driver-selectors-disjoint',
    {
      summary: 'A node must not be selected by two NVIDIADrivers; the default applies to nodes that no other selects.',
      why: 'The operator does not deploy drivers on a node that two of them select.',
      source: `${VALIDATOR}/nvidiadriver_node_selector_conflicts.go`,
      fix: 'Set spec.nodeSelector of the NVIDIADrivers to different values of one label, or set spec.default: true in one of them.',
    },
    function* (drivers) {
      const selecting = drivers.filter((driver) => !isDefault(driver));
      for (const [index, manifest] of selecting.entries()) {
        const mine = selectorOf(manifest);
        for (const other of selecting.slice(0, index)) {
          const theirs = selectorOf(other);
          if (other.id.name === manifest.id.name || apart(mine, theirs)) {
            continue;
          }
          const certain = covers(mine, theirs) || covers(theirs, mine);
          yield {
            manifest,
            path: mine.size === 0 ? '/spec' : '/spec/nodeSelector',
            ...(certain ? {} : { severity: 'warning' as const }),
            message: `this NVIDIADriver and "${other.id.name}" ${certain ? 'select the same nodes' : 'can select the same node'}`,
            expected: 'selectors that differ in the value of one label',
          };
        }
      }
    },
  ),

  driverSetRule(
    'driver-resource-used',
    {
      tier: 'advice',
      summary: 'NVIDIADrivers require a ClusterPolicy with driver.useNvidiaDriverCRD.',
      why: 'Otherwise the operator deploys the single driver of the ClusterPolicy and leaves NVIDIADrivers in the state disabled.',
      source: `${cite('nvidia-gpu-operator')}, controllers/nvidiadriver_controller.go`,
      fix: 'Set spec.driver.useNvidiaDriverCRD: true in the ClusterPolicy (in the chart, set driver.nvidiaDriverCRD.enabled: true).',
    },
    function* (drivers, policies) {
      if (
        policies.length === 0 ||
        policies.some(({ object }) => asObject(asObject(object.spec).driver).useNvidiaDriverCRD === true)
      ) {
        return;
      }
      for (const manifest of drivers) {
        yield {
          manifest,
          message: `the ClusterPolicy "${policies[0]?.id.name ?? ''}" does not use NVIDIADrivers, so this NVIDIADriver has no effect`,
          expected: 'driver.useNvidiaDriverCRD: true in the ClusterPolicy',
        };
      }
    },
  ),

  driverRule(
    'driver-owner-label-reserved',
    {
      summary: `The label ${OWNER_LABEL} must not be used to select nodes.`,
      why: 'The operator sets it on the nodes of each driver, and rejects a selector with it.',
      source: `${cite('nvidia-gpu-operator')}, api/nvidia/v1alpha1/nvidiadriver_types.go ValidateNodeSelector`,
      fix: 'Replace the label in spec.nodeSelector with a label of your own, or with nvidia.com/gpu.product.',
    },
    function* (spec) {
      const owner = asObject(spec.nodeSelector)[OWNER_LABEL];
      if (owner !== undefined) {
        yield {
          path: `/spec/nodeSelector/${OWNER_LABEL.replace('/', '~1')}`,
          message: `the label ${OWNER_LABEL} is reserved for the operator`,
          found: owner,
        };
      }
    },
  ),

  driverRule(
    'driver-precompiled-alone',
    {
      summary: 'A precompiled driver must not be used with GPUDirect Storage or GDRCopy.',
      why: 'Their modules are built against the driver on the node; the operator rejects the combination.',
      source: `${cite('nvidia-gpu-operator')}, internal/state/driver.go`,
      fix: 'Remove usePrecompiled, or disable gds and gdrcopy with gds.enabled: false and gdrcopy.enabled: false.',
    },
    function* (spec) {
      if (spec.usePrecompiled !== true) {
        return;
      }
      for (const part of ['gds', 'gdrcopy']) {
        if (asObject(spec[part]).enabled === true) {
          yield {
            path: `/spec/${part}/enabled`,
            message: `${part} must not be enabled when usePrecompiled is true`,
            found: true,
            expected: 'false',
            fix: `Set spec.${part}.enabled: false, or remove spec.usePrecompiled.`,
          };
        }
      }
    },
  ),

  driverRule(
    'driver-gds-open-modules',
    {
      summary: `GPUDirect Storage ${GDS_OPEN_ONLY.join('.')} and later requires open kernel modules.`,
      why: 'The module does not load with the proprietary driver; the operator rejects the combination.',
      source: `${cite('nvidia-gpu-operator')}, internal/state/driver.go`,
      fix: 'Set spec.kernelModuleType: open, or auto for Turing GPUs and later.',
    },
    function* (spec) {
      const gds = asObject(spec.gds);
      if (gds.enabled !== true || spec.kernelModuleType !== 'proprietary' || !openOnly(asString(gds.version))) {
        return;
      }
      yield {
        path: '/spec/kernelModuleType',
        message: 'GPUDirect Storage requires open kernel modules, but kernelModuleType is proprietary',
        found: 'proprietary',
        expected: 'open',
      };
    },
  ),
];

/** No node has both: they differ in the value of a label, or one asks for a node that has no GPU. */
function apart(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if ([a, b].some((selector) => selector.has(PRESENT_LABEL) && selector.get(PRESENT_LABEL) !== 'true')) {
    return true;
  }
  return [...a].some(([key, value]) => b.has(key) && b.get(key) !== value);
}

/** Every node that `b` selects is selected by `a`. */
function covers(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return [...a].every(([key, value]) => b.get(key) === value || (key === PRESENT_LABEL && value === 'true'));
}

function openOnly(version: string | undefined): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (parts === undefined) {
    return version === undefined || version === '';
  }
  const [differing] = GDS_OPEN_ONLY.map((least, index) => (parts[index] ?? 0) - least).filter(
    (difference) => difference !== 0,
  );
  return (differing ?? 0) >= 0;
}
