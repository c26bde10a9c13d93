/**
 * The reviewed findings on the examples of KubeRay and LeaderWorkerSet.
 */
import { type Expected } from './expected';

const UNBOUNDED = 'The volume has no sizeLimit, and not all containers that mount it have a memory limit.';

export const EXPECTED_RAY: readonly Expected[] = [
  {
    project: 'kuberay',
    rule: 'pods/cpu-limit-feeds-gpus',
    severity: 'warning',
    reason: 'A worker with four TPU chips may use one CPU.',
    files: {
      'config/samples/ray-cluster.tpu-v4-multihost.yaml': 1,
      'config/samples/ray-cluster.tpu-v4-singlehost.yaml': 1,
    },
  },
  {
    project: 'kuberay',
    rule: 'pods/memory-volume-has-size-limit',
    severity: 'warning',
    reason: UNBOUNDED,
    files: { 'config/samples/ray-data-image-resize/ray-data-image-resize-gcsfusecsi-job.yaml': 1 },
  },
  {
    project: 'lws',
    rule: 'pods/memory-volume-has-size-limit',
    severity: 'warning',
    reason: UNBOUNDED,
    files: { 'docs/examples/sglang/lws.yaml': 2, 'docs/examples/tensorrt-llm/lws.yaml': 2 },
  },
];
