/**
 * SN6 and SN8: the pools, networks, and configuration of the SR-IOV operator, and how they fit its policies.
 */
import { quotedNames } from '../../../facts/spelling';
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asObject } from '../../../manifests/read';
import {
  NODE_POLICY,
  OPERATOR_CONFIG,
  OVS_NETWORK,
  POOL_CONFIG,
  setRule,
  specRule,
  SRIOV_IB_NETWORK,
  SRIOV_NETWORK,
  textAt,
} from './networking-rule';
import { asYaml, oneOf, withArticle } from '../../../facts/words';

const WEBHOOK = `${cite('sriov-network-operator')}, pkg/webhook/validate.go`;

const OPERATOR_KINDS = [NODE_POLICY, SRIOV_NETWORK, SRIOV_IB_NETWORK, OVS_NETWORK, POOL_CONFIG];

/** What to write in an object of the operator that is in another namespace. A network has a field for the namespace of its pods. */
function moveFix({ id }: Manifest, namespace: string): string {
  const isNetwork = id.kind.endsWith('Network');
  return `Set metadata.namespace to ${asYaml(namespace)}${isNetwork ? ', and spec.networkNamespace to the namespace of the pods' : ''}.`;
}

const operatorNamespace = setRule(
  'sriov-objects-in-operator-namespace',
  {
    row: 'SN6',
    tier: 'advice',
    summary: "Policies, networks, and pools of the SR-IOV operator must be in the operator's namespace.",
    why: 'The operator reads only that namespace: an object in another namespace is accepted and has no effect.',
    source: `${WEBHOOK}; controllers/generic_network_controller.go`,
    fix: 'Set metadata.namespace to the namespace of the SriovOperatorConfig.',
  },
  function* ({ set }) {
    const [config] = set.ofKind(OPERATOR_CONFIG);
    const objects = OPERATOR_KINDS.flatMap((kind) => set.ofKind(kind)).filter(({ id }) => id.namespace !== '');
    const home = config?.id.namespace ?? '';
    if (home !== '') {
      for (const manifest of objects.filter(({ id }) => id.namespace !== home)) {
        yield {
          manifest,
          path: '/metadata/namespace',
          message: `namespace must be "${home}", the namespace of the SriovOperatorConfig`,
          found: manifest.id.namespace,
          expected: asYaml(home),
          fix: moveFix(manifest, home),
        };
      }
      return;
    }
    const [first] = objects;
    const namespace = first?.id.namespace ?? '';
    for (const manifest of objects.filter(({ id }) => id.namespace !== namespace)) {
      yield {
        manifest,
        path: '/metadata/namespace',
        severity: 'warning',
        found: manifest.id.namespace,
        expected: asYaml(namespace),
        fix: moveFix(manifest, namespace),
        message: `the operator reads only one namespace, but the ${first?.id.kind ?? ''} "${first?.id.name ?? ''}" is in the namespace "${namespace}"`,
      };
    }
  },
);

const poolConfig = specRule(
  'sriov-pool-has-one-purpose',
  {
    row: 'SN8',
    summary:
      'A SriovNetworkPoolConfig must be either for parallel changes (maxUnavailable, nodeSelector) or for OVS hardware offload, and its percentage must be 1% to 100%.',
    why: 'The webhook rejects an object with both, and any other value.',
    source: WEBHOOK,
    fix: 'Move ovsHardwareOffloadConfig to another SriovNetworkPoolConfig, or remove maxUnavailable.',
  },
  [POOL_CONFIG],
  function* (spec) {
    const parallel = ['maxUnavailable', 'nodeSelector'].find((key) => spec[key] !== undefined && spec[key] !== null);
    const offload = textAt(asObject(spec.ovsHardwareOffloadConfig), 'name');
    if (parallel !== undefined && offload !== '') {
      yield {
        path: `/spec/${parallel}`,
        message: `${parallel} must not be set when ovsHardwareOffloadConfig is set`,
        fix: `Move ovsHardwareOffloadConfig to another SriovNetworkPoolConfig, or remove ${parallel}.`,
      };
    }
    const most = spec.maxUnavailable;
    if (typeof most !== 'string') {
      return;
    }
    const percent = /^\d+%$/.test(most) ? Number(most.slice(0, -1)) : 0;
    if (percent < 1 || percent > 100) {
      yield {
        path: '/spec/maxUnavailable',
        message: `"${most}" is not a valid number or percentage of nodes`,
        found: most,
        expected: 'a number of nodes, or 1% to 100%',
        fix: 'Set spec.maxUnavailable to a number of nodes, or to a percentage such as 10%.',
      };
    }
  },
);

const operatorConfig = specRule(
  'sriov-operator-config-named-default',
  {
    row: 'SN8',
    summary: 'The name of the SriovOperatorConfig must be default.',
    why: 'The operator has one configuration; the webhook rejects another name.',
    source: WEBHOOK,
    fix: 'Set metadata.name to "default".',
  },
  [OPERATOR_CONFIG],
  function* (_spec, { id }) {
    if (id.name !== '' && id.name !== 'default') {
      yield {
        path: '/metadata/name',
        message: `the name must be "default", because the operator ignores the SriovOperatorConfig "${id.name}"`,
        found: id.name,
        expected: 'default',
      };
    }
  },
);

/** Of many names, only an example: `expected` has them. */
function choiceOf(names: readonly string[]): string {
  return names.length > 3
    ? `the resourceName of a SriovNetworkNodePolicy, such as ${names[0]}`
    : oneOf([...new Set(names)]);
}

const resourceOffered = setRule(
  'sriov-network-resource-offered',
  {
    tier: 'advice',
    severity: 'warning',
    summary: 'The resourceName of a SriovNetwork must be that of a policy.',
    why: 'Otherwise no function has the name: its pods stay pending, or start without a device (VF pci addr is required).',
    source: `${cite('sriov-network-operator')}, api/v1/helper.go RenderNetAttDef`,
    fix: 'Set spec.resourceName to the resourceName of a SriovNetworkNodePolicy, without a prefix.',
  },
  function* ({ set }) {
    const offered = set
      .ofKind(NODE_POLICY)
      .map(({ object }) => textAt(asObject(object.spec), 'resourceName'))
      .filter((name) => name !== '');
    for (const manifest of [SRIOV_NETWORK, SRIOV_IB_NETWORK, OVS_NETWORK].flatMap((kind) => set.ofKind(kind))) {
      const name = textAt(asObject(manifest.object.spec), 'resourceName');
      if (name === '' || offered.includes(name)) {
        continue;
      }
      const prefixed = name.includes('/');
      if (!prefixed && offered.length === 0) {
        continue;
      }
      yield {
        manifest,
        path: '/spec/resourceName',
        found: name,
        expected: offered.length > 0 ? quotedNames(offered) : name.split('/').at(-1),
        message: prefixed
          ? `resourceName must not have a prefix, because the operator adds its own: "${name}"`
          : `no SriovNetworkNodePolicy in these manifests has the resourceName "${name}"`,
        ...(prefixed
          ? {}
          : {
              fix: `Set spec.resourceName to ${choiceOf(offered)}, or add a SriovNetworkNodePolicy with resourceName: ${name}.`,
            }),
      };
    }
  },
);

const linkTypesAgree = setRule(
  'sriov-network-fits-link',
  {
    tier: 'advice',
    summary: 'A SriovIBNetwork must use functions of InfiniBand cards, and a SriovNetwork those of Ethernet cards.',
    why: "The plugin ib-sriov sets GUIDs, the plugin sriov sets MAC addresses and VLANs: each fails on the other's functions, and the pod does not start.",
    source: `${cite('sriov-network-operator')}, README (SriovNetwork, SriovIBNetwork); ib-sriov-cni`,
    fix: 'Set linkType of the SriovNetworkNodePolicy to ib for a SriovIBNetwork and to eth for a SriovNetwork.',
  },
  function* ({ set }) {
    const policies = set.ofKind(NODE_POLICY).map(({ id, object }) => ({ name: id.name, spec: asObject(object.spec) }));
    for (const kind of [SRIOV_NETWORK, SRIOV_IB_NETWORK]) {
      const wanted = kind === SRIOV_IB_NETWORK ? 'ib' : 'eth';
      const other = kind === SRIOV_IB_NETWORK ? 'SriovNetwork' : 'SriovIBNetwork';
      for (const manifest of set.ofKind(kind)) {
        const { resourceName: wantedName } = asObject(manifest.object.spec);
        const own = policies.filter(({ spec }) => spec.resourceName === wantedName);
        const links = own.map(({ spec }) => textAt(spec, 'linkType').toLowerCase());
        const [policy] = own;
        if (policy === undefined || links.some((link) => link === '' || link === wanted)) {
          continue;
        }
        yield {
          manifest,
          path: '/spec/resourceName',
          message: `${withArticle(manifest.id.kind)} requires linkType ${wanted}, but the SriovNetworkNodePolicy "${policy.name}" sets "${links[0] ?? ''}"`,
          found: textAt(policy.spec, 'linkType'),
          expected: `linkType: ${wanted}, or a ${other}`,
          fix: `Set linkType: ${wanted} in the SriovNetworkNodePolicy, or create a ${other} instead of the ${manifest.id.kind}.`,
        };
      }
    }
  },
);

export const sriovOperatorRules: readonly Rule[] = [
  operatorNamespace,
  poolConfig,
  operatorConfig,
  resourceOffered,
  linkTypesAgree,
];
