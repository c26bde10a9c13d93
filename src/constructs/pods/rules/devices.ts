/**
 * What a pod asks of devices: names that somebody serves, visibility left to the plugin, RDMA with what it needs, and NCCL
 * values that NCCL reads.
 */
import { fieldOf } from '../../../manifests/pointer';
import { allOf, oneOf } from '../../../facts/words';
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import {
  findNcclVariable,
  findResource,
  isRdmaResource,
  RDMA_CAPABILITY,
  RESOURCES,
  unknownNcclTokens,
} from '../../../facts/catalog';
import { asObject } from '../../../manifests/read';
import { type Rule } from '../../../checks/rules/rule';
import { itemsOf, text, textsOf } from '../../../checks/server/values';
import { acceleratorsOf, askedBy, podAdvice, titleOf } from './advice';
import { nearestName } from '../../../facts/spelling';

/** Domains whose device resources the catalog lists in full. */
const LISTED_DOMAINS: ReadonlySet<string> = new Set([
  'aliyun.com',
  'tencent.com',
  'tke.cloud.tencent.com',
  'volcano.sh',
  'amd.com',
  'habana.ai',
  'aws.amazon.com',
  'google.com',
  'gpu.intel.com',
]);
const VISIBILITY = [
  'CUDA_VISIBLE_DEVICES',
  'NVIDIA_VISIBLE_DEVICES',
  'ROCR_VISIBLE_DEVICES',
  'HIP_VISIBLE_DEVICES',
  // Ascend's own documents set ASCEND_VISIBLE_DEVICES from the annotation that its plugin writes.
];

/** The fix for a resource that has another name, with the path of its amount. */
const renamed = (path: string, name: string): string =>
  `Rename the key in ${fieldOf(path.slice(0, path.lastIndexOf('/')))} to ${name}.`;

export const deviceRules: readonly Rule[] = [
  podAdvice(
    'device-name-served',
    {
      concerns: ['limits', 'requests'],
      severity: 'error',
      summary: 'A device must be requested by a name that a device plugin serves.',
      why: 'No node offers the resource: the pod stays pending.',
      fix: "Rename the key in resources.limits to the resource that the cluster's device plugin serves.",
      source: "the vendors' device plugins, as listed by `gantry catalog resources`",
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { name, path } of askedBy(container)) {
          const fact = findResource(name);
          if (fact?.successor !== undefined) {
            const never = fact.meaning.startsWith('no resource');
            say(
              path,
              never ? `no device plugin serves the resource "${name}"` : `the resource name "${name}" is outdated`,
              {
                expected: fact.successor,
                fix: renamed(path, fact.successor),
                ...(never ? {} : { severity: 'warning' as const }),
              },
            );
          } else if (fact === undefined && LISTED_DOMAINS.has(name.split('/')[0] ?? '')) {
            const known = nearestName(
              name,
              RESOURCES.filter(({ name: other }) => !other.includes('<')).map(({ name: other }) => other),
              { prefixes: true },
            );
            say(path, `unknown resource "${name}": no device plugin of ${name.split('/')[0]} serves it`, {
              severity: known === undefined ? 'info' : 'warning',
              ...(known === undefined ? {} : { expected: known, fix: renamed(path, known) }),
            });
          }
        }
      }
    },
  ),

  podAdvice(
    'visible-devices-left-to-plugin',
    {
      concerns: ['env'],
      severity: 'warning',
      summary: 'A container that requests devices must not set the variable for visible devices itself.',
      why: 'The device plugin chooses devices and passes them to the runtime; numbers set by hand count from 0 inside the container, hide devices, or name those of other containers.',
      fix: 'Remove the variable from env.',
      source: 'NVIDIA k8s-device-plugin (Allocate sets the devices), CUDA programming guide (environment variables)',
    },
    (pod, say) => {
      for (const container of pod.all) {
        if (acceleratorsOf(container).length === 0) {
          continue;
        }
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          if (VISIBILITY.includes(text(value.name))) {
            say(`${path}/name`, `${text(value.name)} must not be set together with a device request`);
          }
        }
      }
    },
  ),

  podAdvice(
    'device-request-and-claim-apart',
    {
      concerns: ['claims'],
      row: 'DR11',
      severity: 'warning',
      summary: 'A container must get its GPUs either from the device plugin or from a resource claim.',
      why: 'The two work independently: the container gets both, or both allocate the same GPU.',
      fix: 'Remove the device from resources.limits, or remove the claim from resources.claims.',
      source: `${cite('nvidia-dra-driver-gpu')} (a node's GPUs belong to the device plugin or to the DRA driver)`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const devices = acceleratorsOf(container);
        const claims = itemsOf(asObject(container.value.resources).claims, `${container.path}/resources/claims`);
        const [first] = devices;
        if (first !== undefined && claims.some(({ value }) => /gpu|device|accelerator/i.test(text(value.name)))) {
          say(first.path, `the container requests ${first.name} both in resources.limits and with a resource claim`, {
            fix: `Remove ${first.name} from resources.limits, or remove the claim from resources.claims.`,
          });
        }
      }
    },
  ),

  podAdvice(
    'rdma-may-lock-memory',
    {
      concerns: ['limits', 'requests'],
      severity: 'warning',
      summary: 'A container with an RDMA device must have the capability IPC_LOCK or be privileged.',
      why: 'RDMA pins memory; without the capability the memlock limit prevents this, and NCCL falls back to TCP or fails.',
      fix: 'Add IPC_LOCK to securityContext.capabilities.add.',
      source: `${cite('network-operator')}, example pods; k8s-rdma-shared-dev-plugin`,
    },
    (pod, say) => {
      for (const container of pod.containers) {
        const rdma = askedBy(container).find(
          ({ name }) => isRdmaResource(name) && !name.startsWith('vpc.amazonaws.com/'),
        );
        if (rdma === undefined) {
          continue;
        }
        const security = asObject(container.value.securityContext);
        const added = textsOf(asObject(security.capabilities).add, '').map(({ value }) => value.replace(/^CAP_/, ''));
        if (security.privileged !== true && !added.includes(RDMA_CAPABILITY) && !added.includes('ALL')) {
          say(rdma.path, `${titleOf(container)} has an RDMA device but not the capability IPC_LOCK`, {
            expected: 'securityContext.capabilities.add: [IPC_LOCK]',
          });
        }
      }
    },
  ),

  podAdvice(
    'rdma-name-configured',
    {
      concerns: ['limits', 'requests'],
      severity: 'info',
      summary: "A shared RDMA device must have the name in its plugin's configuration.",
      why: 'The configuration of the shared device plugin defines rdma/<name>: with another name the pod stays pending.',
      fix: 'Rename the resource to rdma/<resourceName>, where <resourceName> is set in spec.rdmaSharedDevicePlugin of the NicClusterPolicy, or configure a resourceName for the resource there.',
      source: `${cite('network-operator')}, rdmaSharedDevicePlugin`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { name, path } of askedBy(container)) {
          if (/^rdma\/(roce(_v2)?|ib|hca|infiniband|rdma)$/i.test(name)) {
            say(
              path,
              `"${name}" exists only if the RDMA shared device plugin is configured with the resourceName "${name.slice(name.indexOf('/') + 1)}"`,
              {
                expected: 'the resource name in the cluster, such as rdma/rdma_shared_device_a',
                found: name,
                fix: `Rename the resource to rdma/<resourceName>, where <resourceName> is set in spec.rdmaSharedDevicePlugin of the NicClusterPolicy, or configure the resourceName "${name.slice(name.indexOf('/') + 1)}" there.`,
              },
            );
          }
        }
      }
    },
  ),

  fixesByField(
    podAdvice(
      'nccl-value-known',
      {
        concerns: ['env'],
        severity: 'error',
        summary: 'NCCL variables must have values that NCCL supports.',
        why: 'NCCL fails with ncclInvalidUsage on an unknown token, or ignores the value.',
        fix: 'Set the variable in env to a supported value, and leave NCCL_ALGO and NCCL_PROTO unset unless you debug a problem.',
        source: 'NVIDIA NCCL user guide, environment variables; nccl v2.31',
      },
      (pod, say) => {
        for (const container of pod.all) {
          for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
            const name = text(value.name);
            const said = text(value.value).trim();
            if (said === '' || said.includes('$(')) {
              continue;
            }
            if (name === 'NCCL_ALGO' || name === 'NCCL_PROTO') {
              const unknown = unknownNcclTokens(name, said);
              if (unknown.length > 0) {
                const choices = findNcclVariable(name)?.tokens ?? [];
                say(
                  `${path}/value`,
                  `unsupported ${unknown.length === 1 ? 'value' : 'values'} ${allOf(unknown.map((one) => `"${one}"`))} in ${name}`,
                  {
                    expected: `one or more of ${oneOf(choices)}, separated by commas`,
                    fix: `Remove ${name} from env, or set it to one or more of ${oneOf(choices)}, separated by commas.`,
                  },
                );
              }
              continue;
            }
            const tokens = findNcclVariable(name)?.tokens;
            if (tokens !== undefined && !tokens.includes(said.toUpperCase()) && !/^\d+$/.test(said)) {
              say(`${path}/value`, `unsupported value "${said}" for ${name}`, {
                expected: oneOf(tokens),
                severity: 'warning',
              });
            }
          }
        }
      },
    ),
  ),

  podAdvice(
    'nccl-interface-in-pod',
    {
      concerns: ['env'],
      severity: 'warning',
      summary: 'NCCL_SOCKET_IFNAME must name an interface of the pod; NCCL_IB_HCA selects the RDMA card.',
      why: 'Inside a pod the interface is eth0 (and net1, net2 of attachments); ib0 belongs to the host. NCCL finds no interface, and the variable does not select the RDMA card.',
      fix: 'Set NCCL_SOCKET_IFNAME to eth0, or use hostNetwork or a network attachment, and select cards with NCCL_IB_HCA.',
      source: 'NVIDIA NCCL user guide, NCCL_SOCKET_IFNAME and NCCL_IB_HCA',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const env = itemsOf(container.value.env, `${container.path}/env`);
        const choosesCard = env.some(({ value }) => value.name === 'NCCL_IB_HCA');
        for (const { value, path } of env) {
          const said = text(value.value);
          if (value.name !== 'NCCL_SOCKET_IFNAME' || !/^=?(ib|ens|enp|eno|bond|mlx)/.test(said)) {
            continue;
          }
          if (!pod.hostNetwork) {
            say(`${path}/value`, `"${said}" is a host interface, but the pod does not use the host network`, {
              expected: 'eth0, or net1 with a network attachment',
              fix: 'Set NCCL_SOCKET_IFNAME to eth0, or to net1 if the pod has a network attachment.',
            });
          } else if (/^=?ib/.test(said) && !choosesCard) {
            say(
              `${path}/value`,
              `NCCL_SOCKET_IFNAME "${said}" selects the interface for bootstrap traffic, not the RDMA card`,
              {
                severity: 'info',
                expected: 'NCCL_SOCKET_IFNAME and NCCL_IB_HCA',
                fix: 'Add NCCL_IB_HCA to env with the names of the RDMA cards, such as mlx5.',
              },
            );
          }
        }
      }
    },
  ),
];
