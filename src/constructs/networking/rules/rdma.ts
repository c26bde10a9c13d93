/**
 * What RDMA in pods needs of the nodes: functions that carry it, a namespace mode that the plugins can work in, and a pool for each name.
 */
import { oneOf } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { RDMA_CAPABILITY } from '../../../facts/catalog';
import { type Rule, type RuleContext } from '../../../checks/rules/rule';
import { asArray, asObject, asString, isObject, stringEntries, stringsIn } from '../../../manifests/read';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { pointer } from '../../../manifests/pointer';
import { readCniConfig } from '../cni-text';
import { pluginOfText, readSharedDeviceConfig } from '../device-plugin-text';
import {
  ATTACHMENT,
  NIC_CLUSTER_POLICY,
  NIC_NODE_POLICY,
  NODE_POLICY,
  POOL_CONFIG,
  setRule,
  SRIOV_IB_NETWORK,
  SRIOV_NETWORK,
  textAt,
} from './networking-rule';

interface Asking {
  readonly resource: string;
  /** Within the template. */
  readonly path: string;
  readonly locksMemory: boolean;
}

function askedIn({ spec }: PodTemplate): readonly Asking[] {
  return asArray(spec.containers).flatMap((container, index) => {
    const { resources, securityContext } = asObject(container);
    const added = stringsIn(asObject(asObject(securityContext).capabilities).add).map((name) =>
      name.replace(/^CAP_/, ''),
    );
    const limits = asObject(asObject(resources).limits);
    return Object.keys(limits).map((resource) => ({
      resource,
      path: pointer(`/spec/containers/${index}/resources/limits`, resource),
      locksMemory: added.includes(RDMA_CAPABILITY),
    }));
  });
}

const functionsCarryRdma: Rule = {
  id: 'networking/sriov-rdma-function-carries-rdma',
  tier: 'advice',
  severity: 'warning',
  on: 'pod-template',
  sees: 'template',
  concerns: ['limits'],
  summary: 'A pod that locks memory for RDMA must get virtual functions of a policy with isRdma.',
  why: 'Without isRdma the device plugin does not pass /dev/infiniband: NCCL and MPI find no device and fall back to TCP.',
  source: `${cite('sriov-network-operator')}, controllers/sriovnetworknodepolicy_controller.go (selectors of the device plugin), pkg/webhook/mutate.go (linkType ib implies it)`,
  fix: 'Set isRdma: true in the SriovNetworkNodePolicy.',
  check: function* (template, { set }: RuleContext) {
    for (const { resource, path, locksMemory } of askedIn(template)) {
      if (!locksMemory || !resource.includes('/')) {
        continue;
      }
      const own = set
        .ofKind(NODE_POLICY)
        .filter(({ object }) => resource.endsWith(`/${textAt(asObject(object.spec), 'resourceName')}`));
      const without = own.filter(
        ({ object: { spec } }) =>
          asObject(spec).isRdma !== true && textAt(asObject(spec), 'linkType').toLowerCase() !== 'ib',
      );
      const [policy] = without;
      if (policy !== undefined && without.length === own.length) {
        yield {
          path,
          message: `the SriovNetworkNodePolicy "${policy.id.name}" does not set isRdma, so ${resource} provides no RDMA device`,
          expected: `isRdma: true in the SriovNetworkNodePolicy "${policy.id.name}"`,
          fix: `Set spec.isRdma: true in the SriovNetworkNodePolicy "${policy.id.name}".`,
        };
      }
    }
  },
};

const namespaceMode = setRule(
  'rdma-namespace-mode-fits',
  {
    tier: 'advice',
    severity: 'warning',
    summary:
      'Nodes in RDMA namespace mode exclusive must not run the shared device plugin, and networks for nodes in mode shared must not use the plugin rdma.',
    why: 'The shared device plugin exits immediately in mode exclusive; the plugin rdma cannot move a device in mode shared, and the pod does not start.',
    source: `${cite('rdma-shared-device-plugin')}, ValidateRdmaSystemMode; rdma-cni, README; ${cite('sriov-network-operator')}, SriovNetworkPoolConfig.rdmaMode`,
    fix: 'Set rdmaMode in the SriovNetworkPoolConfig to exclusive for the rdma CNI plugin, or to shared for rdmaSharedDevicePlugin.',
  },
  function* ({ set }) {
    const modes = set
      .ofKind(POOL_CONFIG)
      .map(({ object }) => asString(asObject(object.spec).rdmaMode) ?? '')
      .filter((mode) => mode !== '');
    if (modes.length === 0 || new Set(modes).size > 1) {
      return;
    }
    if (modes[0] === 'exclusive') {
      for (const manifest of set.ofKind(NIC_CLUSTER_POLICY)) {
        if (isObject(asObject(manifest.object.spec).rdmaSharedDevicePlugin)) {
          yield {
            manifest,
            path: '/spec/rdmaSharedDevicePlugin',
            message: 'rdmaSharedDevicePlugin requires rdmaMode: shared, but a SriovNetworkPoolConfig sets exclusive',
          };
        }
      }
      return;
    }
    const moves = (text: string): boolean => readCniConfig(text, true).plugins.some(({ type }) => type === 'rdma');
    for (const manifest of set.ofKind(ATTACHMENT)) {
      if (moves(textAt(asObject(manifest.object.spec), 'config'))) {
        yield {
          manifest,
          path: '/spec/config',
          message: 'the rdma CNI plugin requires rdmaMode: exclusive, but a SriovNetworkPoolConfig sets shared',
        };
      }
    }
    for (const manifest of [SRIOV_NETWORK, SRIOV_IB_NETWORK].flatMap((kind) => set.ofKind(kind))) {
      const plugins = textAt(asObject(manifest.object.spec), 'metaPlugins');
      if (/"type"\s*:\s*"rdma"/.test(plugins)) {
        yield {
          manifest,
          path: '/spec/metaPlugins',
          message: 'the rdma CNI plugin requires rdmaMode: exclusive, but a SriovNetworkPoolConfig sets shared',
        };
      }
    }
  },
);

const sharedNameOffered: Rule = {
  id: 'networking/rdma-shared-device-offered',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'template',
  concerns: ['limits'],
  summary:
    "A shared RDMA device that a pod requests must be a pool of the plugin's configuration, if the manifests contain it.",
  why: 'No node offers another name: the pod stays pending.',
  source: `${cite('rdma-shared-device-plugin')}, README; ${cite('network-operator')}`,
  fix: 'Rename the resource to rdma/<resourceName>, with the resourceName of a pool, or add the pool to rdmaSharedDevicePlugin.config.',
  check: function* (template, { set }) {
    const asked = askedIn(template).filter(({ resource }) => resource.startsWith('rdma/'));
    if (asked.length === 0) {
      return;
    }
    const offered = sharedDevicesOf(set);
    if (offered === undefined) {
      return;
    }
    for (const { resource, path } of asked) {
      if (!offered.includes(resource)) {
        yield {
          path,
          message: `no pool of rdmaSharedDevicePlugin has the resourceName "${resource.slice('rdma/'.length)}"`,
          found: resource,
          expected: oneOf(offered),
          fix: `Rename ${resource} in resources.limits to ${oneOf(offered)}, or add a pool with the resourceName "${resource.slice('rdma/'.length)}" to rdmaSharedDevicePlugin.config.`,
        };
      }
    }
  },
};

/** What the shared device plugins of a set offer; `undefined` where it has none, or one that cannot be read. */
function sharedDevicesOf(set: RuleContext['set']): readonly string[] | undefined {
  const policies = [NIC_CLUSTER_POLICY, NIC_NODE_POLICY]
    .flatMap((kind) => set.ofKind(kind))
    .flatMap(({ object }) => {
      const text = asString(asObject(asObject(object.spec).rdmaSharedDevicePlugin).config);
      return text === undefined ? [] : [text];
    });
  const maps = set
    .ofKind('ConfigMap')
    .flatMap(({ object }) => stringEntries(object.data).map(([, text]) => text))
    .filter((text) => pluginOfText(text) === 'shared');
  const offered = [...policies, ...maps].flatMap((text) => readSharedDeviceConfig(text).resources);
  return offered.length === 0 ? undefined : offered;
}

export const rdmaRules: readonly Rule[] = [functionsCarryRdma, namespaceMode, sharedNameOffered];
