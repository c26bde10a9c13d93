/**
 * What a pod asks of devices: names that somebody serves, visibility left to the plugin, RDMA with what it needs, and NCCL
 * values that NCCL reads.
 */
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
import { type Rule } from '../../../checks/rule';
import { itemsOf, text, textsOf } from '../../../checks/server/values';
import { acceleratorsOf, askedBy, podAdvice } from './advice';
import { nearest } from './nearest';

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
  'ASCEND_VISIBLE_DEVICES',
];

export const deviceRules: readonly Rule[] = [
  podAdvice(
    'device-name-served',
    {
      concerns: ['limits', 'requests'],
      severity: 'error',
      summary: 'A device is asked for by a name that some device plugin serves.',
      why: 'No node offers the resource: the pod stays pending.',
      fix: "Use the name that the cluster's device plugin serves.",
      source: "the vendors' device plugins, as listed by `gantry catalog resources`",
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { name, path } of askedBy(container)) {
          const fact = findResource(name);
          if (fact?.successor !== undefined) {
            const never = fact.meaning.startsWith('no resource');
            say(path, never ? `no component serves ${name}` : `${name} is an old name`, {
              expected: fact.successor,
              ...(never ? {} : { severity: 'warning' as const }),
            });
          } else if (fact === undefined && LISTED_DOMAINS.has(name.split('/')[0] ?? '')) {
            const known = nearest(
              name,
              RESOURCES.filter(({ name: other }) => !other.includes('<')).map(({ name: other }) => other),
            );
            say(path, `no resource ${name} is known of its vendor`, {
              severity: 'warning',
              ...(known === undefined ? {} : { expected: known }),
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
      summary: 'A container that asks for devices does not name the visible ones itself.',
      why: "The device plugin chooses devices and tells the runtime; numbers written by hand count from 0 inside the container, hide devices, or name others'.",
      fix: 'Remove the variable.',
      source: 'NVIDIA k8s-device-plugin (Allocate sets the devices), CUDA programming guide (environment variables)',
    },
    (pod, say) => {
      for (const container of pod.all) {
        if (acceleratorsOf(container).length === 0) {
          continue;
        }
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          if (VISIBILITY.includes(text(value.name))) {
            say(`${path}/name`, `${text(value.name)} is set by hand beside a device request`);
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
      summary: 'A container gets its GPUs either from the device plugin or from a resource claim.',
      why: 'The two do not know of each other: the container gets the sum, or both hand out the same GPU.',
      fix: 'Keep the claim, or the limit.',
      source: `${cite('nvidia-dra-driver-gpu')} (a node's GPUs belong to the device plugin or to the DRA driver)`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const devices = acceleratorsOf(container);
        const claims = itemsOf(asObject(container.value.resources).claims, `${container.path}/resources/claims`);
        const [first] = devices;
        if (first !== undefined && claims.some(({ value }) => /gpu|device|accelerator/i.test(text(value.name)))) {
          say(first.path, `the container asks for ${first.name} and has a resource claim as well`);
        }
      }
    },
  ),

  podAdvice(
    'rdma-may-lock-memory',
    {
      concerns: ['limits', 'requests'],
      severity: 'warning',
      summary: 'A container with an RDMA device has the capability IPC_LOCK (or is privileged).',
      why: 'RDMA pins memory; without the capability the memory-lock limit stops it and NCCL falls back to TCP or fails.',
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
          say(rdma.path, `the container "${container.name}" has an RDMA device and may not lock memory`, {
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
      summary: 'A shared RDMA device has the name that its plugin is configured with.',
      why: "rdma/<name> is whatever the shared device plugin's configuration says: another name leaves the pod pending.",
      fix: "Compare with the plugin's configuration (NicClusterPolicy rdmaSharedDevicePlugin).",
      source: `${cite('network-operator')}, rdmaSharedDevicePlugin`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { name, path } of askedBy(container)) {
          if (/^rdma\/(roce(_v2)?|ib|hca|infiniband|rdma)$/i.test(name)) {
            say(path, `${name} is only there if the RDMA shared device plugin is configured with this name`, {
              expected: 'the name of the cluster, for example rdma/rdma_shared_device_a',
            });
          }
        }
      }
    },
  ),

  podAdvice(
    'nccl-value-known',
    {
      concerns: ['env'],
      severity: 'error',
      summary: 'NCCL variables have values that NCCL reads.',
      why: 'NCCL ends with ncclInvalidUsage on an unknown token, or ignores the value.',
      fix: 'Correct the value; leave NCCL_ALGO and NCCL_PROTO out unless you look for a fault.',
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
              say(`${path}/value`, `NCCL does not know ${unknown.join(', ')}`, {
                expected: `${findNcclVariable(name)?.tokens?.join(', ') ?? ''}, separated by commas`,
              });
            }
            continue;
          }
          const tokens = findNcclVariable(name)?.tokens;
          if (tokens !== undefined && !tokens.includes(said.toUpperCase()) && !/^\d+$/.test(said)) {
            say(`${path}/value`, `${name} does not take "${said}"`, {
              expected: tokens.join(', '),
              severity: 'warning',
            });
          }
        }
      }
    },
  ),

  podAdvice(
    'nccl-interface-in-pod',
    {
      concerns: ['env'],
      severity: 'warning',
      summary: 'NCCL_SOCKET_IFNAME names an interface that the pod has; the RDMA card is chosen by NCCL_IB_HCA.',
      why: "Inside a pod the interface is eth0 (and net1, net2 of attachments): ib0 is the host's. NCCL finds no interface, and the variable does not choose the RDMA card.",
      fix: 'Use hostNetwork or a network attachment, or name eth0; choose cards with NCCL_IB_HCA.',
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
            say(`${path}/value`, `${said} is an interface of the host, and the pod is not on the host's network`, {
              expected: 'eth0, or net1 of an attachment',
            });
          } else if (/^=?ib/.test(said) && !choosesCard) {
            say(`${path}/value`, `${said} carries the bootstrap only; it does not choose the RDMA card`, {
              severity: 'info',
              expected: 'NCCL_IB_HCA beside it',
            });
          }
        }
      }
    },
  ),
];
