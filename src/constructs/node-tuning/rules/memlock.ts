/**
 * Locked memory: a capability that does nothing for processes that are not root.
 */
import { cite } from '../../../facts/upstream';
import { type PodTemplateRule } from '../../../checks/rules/rule';
import { items, text, whole } from '../../../checks/server/values';
import { fieldOf } from '../../../manifests/pointer';
import { asObject, stringsIn } from '../../../manifests/read';

const forNonRoot: PodTemplateRule = {
  id: 'node-tuning/memlock-for-non-root',
  row: 'C8',
  tier: 'advice',
  severity: 'warning',
  summary: 'A container that adds IPC_LOCK must run as root, or with a runtime that has a higher memlock limit.',
  why: 'Added capabilities are effective only for root. Otherwise RDMA cannot register more memory than the limit of containerd, 8 MiB under systemd.',
  source: `${cite('containerd')}, internal/cri/server, pkg/oci (capabilities, rlimits); NVIDIA/nvidia-container-toolkit issue 2037`,
  fix: 'Set runtimeClassName to a RuntimeClass with a higher memlock limit (in a Gantry app: nodeTuning.MemlockRuntime), or raise LimitMEMLOCK for containerd in the node image.',
  concerns: ['capabilities'],
  on: 'pod-template',
  sees: 'template',
  *check({ spec }) {
    if (text(spec.runtimeClassName) !== '') {
      return;
    }
    const pod = asObject(spec.securityContext);
    for (const list of ['initContainers', 'containers']) {
      for (const { value: container, path } of items(spec, `/${list}`)) {
        const own = asObject(container.securityContext);
        const user = whole(own.runAsUser) ?? whole(pod.runAsUser);
        const nonRoot = user === undefined ? (own.runAsNonRoot ?? pod.runAsNonRoot) === true : user !== 0;
        if (!nonRoot || !stringsIn(asObject(own.capabilities).add).includes('IPC_LOCK')) {
          continue;
        }
        yield {
          path: `/spec${path}/securityContext/capabilities/add`,
          message: `${text(container.name) === '' ? fieldOf(`/spec${path}`) : `the container "${text(container.name)}"`} does not run as root, so IPC_LOCK has no effect`,
          found: 'IPC_LOCK',
          expected: 'a runtimeClassName with a higher memlock limit',
        };
      }
    }
  },
};

export const memlockRules: readonly PodTemplateRule[] = [forNonRoot];
