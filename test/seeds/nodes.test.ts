/**
 * Node configuration files: a rule of its own finds each known defect, and constructs make the corrected files.
 */
import { App, Chart } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { Accelerator, nodeTuning } from '../../src';
import { type JsonObject } from '../../src/facts/api/schema';
import { check } from '../../src/checks/engine';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseFile } from '../../src/manifests/documents/node-file';
import { allRules } from '../../src/interfaces/checks';
import { Testing } from '../../src/interfaces/testing';

const FIXTURES = resolve(__dirname, '../fixtures');
const DEFECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'oci-device.json': { '666 is read as decimal': 'node-tuning/oci-file-mode-decimal' },
  'docker-runtime-and-driver.json': {
    'every image gets every GPU': 'node-tuning/docker-gpu-runtime-chosen',
    'the driver is the default, and unifies nothing': 'node-tuning/docker-cgroup-driver-left-to-host',
  },
  'containerd.toml': {
    'systemd_cgroup is gone': 'node-tuning/containerd-systemd-cgroup-of-runc',
    'SystemdCgroupParent never was': 'node-tuning/containerd-runc-option-known',
    'the table default_runtime is gone': 'node-tuning/containerd-default-runtime-by-name',
    'no version': 'node-tuning/containerd-config-states-version',
  },
  'kubelet-arguments.conf': {
    'flags are deprecated': 'node-tuning/kubelet-setting-in-file',
    '500 pods in a /24': 'node-tuning/max-pods-within-pod-network',
    'a million processes': 'node-tuning/pod-pids-limit-guards-node',
    'best-effort promises nothing': 'node-tuning/topology-policy-keeps-its-promise',
  },
  'docker-runtime.json': { 'every image gets every GPU': 'node-tuning/docker-gpu-runtime-chosen' },
};

const cases = Object.entries(DEFECTS).flatMap(([file, defects]) =>
  Object.entries(defects).map(([defect, rule]) => [file, defect, rule] as const),
);
const read = (folder: string, file: string): string => readFileSync(join(FIXTURES, folder, file), 'utf8');

describe('files of nodes', () => {
  test.each(cases)('%s: %s', (file, _defect, rule) => {
    const { manifests, problems } = parseFile(read('node-files', file), file);
    const { findings } = check(new ManifestSet(manifests, problems), { rules: allRules() });
    expect(findings.filter(({ line }) => line === undefined)).toEqual([]);
    expect(findings.map((finding) => finding.rule)).toContain(rule);
  });

  test('kubelet.yaml is a drop-in', () => {
    const dropIn = new nodeTuning.KubeletDropIn({
      podPidsLimit: 1_000_000,
      maxPods: 110,
      cpuManagerOptions: {},
      memoryManager: 'None',
      topologyManager: 'single-numa-node',
      kubeReserved: { cpu: 4, memory: '8Gi' },
      systemReserved: { cpu: 2, memory: '4Gi' },
    });
    expect(dropIn.toConfiguration()).toEqual(parse(read('manifests/corrected', 'kubelet.yaml')));
  });

  test('spot-job.yaml is a job on spot nodes', () => {
    const chart = new Chart(new App(), 'spot', { namespace: 'training' });
    new nodeTuning.SpotJob(chart, 'interruptible', {
      on: 'gke',
      image: 'registry.example.com/trainer:1.4',
      containerName: 'trainer',
      accelerators: Accelerator.nvidia({ count: 4 }),
      podOverrides: { pod: { schedulerName: 'volcano' } },
    });
    expect(Testing.synth(chart).map(meaning)).toEqual([
      meaning(parse(read('manifests/corrected', 'spot-job.yaml')) as JsonObject),
    ]);
  });
});

/** Tolerations in any order, quantities of whole devices as numbers. */
function meaning(manifest: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(manifest, (key, value: unknown) => {
      if (key === 'tolerations' && Array.isArray(value)) {
        return value.map((item) => JSON.stringify(Object.entries(item as object).sort())).sort();
      }
      return key === 'nvidia.com/gpu' ? Number(value) : value;
    }),
  ) as JsonObject;
}
