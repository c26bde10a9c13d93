/**
 * Whatever is in a manifest or in a file, rules about nodes do not throw, and files are read or refused, never thrown at anybody.
 */
import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { check } from '../../../src/checks/engine';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import {
  NODE_FILE,
  NODE_FILE_OWNERS,
  nodeFileKind,
  type NodeFileKind,
  parseFile,
  readNodeFile,
} from '../../../src/manifests/documents/node-file';
import { nodeTuningRules } from '../../../src/constructs/node-tuning/rules';
import { rulesSurvive } from '../../support/rules-survive';
import { samples } from '../../support/samples';

const OPTIONS = { seed: 20261120, numRuns: samples(150) };

test('manifests of any content', () => {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: {
      containers: [{ name: 'a', command: ['sh', '-c', 'systemctl daemon-reload'] }],
      volumes: [{ name: 's', configMap: { name: 'c' } }],
    },
  };
  rulesSurvive(
    nodeTuningRules,
    [
      {
        apiVersion: 'kubelet.config.k8s.io/v1beta1',
        kind: 'KubeletConfiguration',
        cpuManagerPolicy: 'static',
        reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
        memorySwap: { swapBehavior: 'LimitedSwap' },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'd' },
        spec: { updateStrategy: { rollingUpdate: { maxSurge: 1 } }, template },
      },
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'p' },
        spec: {
          limits: { 'nvidia.com/gpu': 1 },
          template: { metadata: { labels: { x: 'y' } }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
        },
      },
      {
        apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
        kind: 'NodeReadinessRule',
        metadata: { name: 'r' },
        spec: {
          conditions: [{ type: 'x', requiredStatus: 'True' }],
          taint: { key: 'readiness.k8s.io/x', effect: 'NoSchedule' },
          nodeSelector: { matchLabels: { 'nvidia.com/gpu.present': 'true' } },
        },
      },
      {
        apiVersion: 'nvidia.com/v1',
        kind: 'ClusterPolicy',
        metadata: { name: 'c' },
        spec: { daemonsets: { tolerations: [{ key: 'a' }] } },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: {
          nodeSelector: { x: 'y', 'cloud.google.com/gke-spot': 'true' },
          tolerations: [{ key: 'cloud.google.com/gke-spot' }],
          terminationGracePeriodSeconds: 90,
        },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c' },
        data: {
          'run.sh': '#!/bin/sh\nswapoff -a',
          'config.toml': 'version = 3\n[plugins."io.containerd.cri.v1.runtime"]\n',
          'daemon.json': '{"runtimes": {}}',
        },
      },
    ],
    60,
  );
});

const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonValue);
const anyObject = fc.dictionary(fc.string(), anyJson, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
const under = (keys: readonly string[]): fc.Arbitrary<JsonObject> =>
  anyJson.map((value) => keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value) as JsonObject);
const contents = fc.oneof(
  anyObject,
  under(['plugins', 'io.containerd.cri.v1.runtime', 'containerd', 'runtimes', 'runc', 'options']),
  under(['plugins', 'io.containerd.grpc.v1.cri', 'containerd']),
  under(['runtimes', 'nvidia']),
  under(['exec-opts']),
  under(['default-runtime']),
  under(['Slice']),
  under(['linux', 'devices']),
  under(['node-labels']),
  under(['kube-reserved']),
);

test('files of any content', () => {
  const kinds = Object.keys(NODE_FILE_OWNERS) as NodeFileKind[];
  fc.assert(
    fc.property(fc.constantFrom(...kinds), contents, (kind, object) => {
      const set = new ManifestSet([
        {
          id: { apiVersion: NODE_FILE, group: NODE_FILE, kind, namespace: '', name: 'kubepods.slice.d/x' },
          object,
          origin: { file: 'x' },
        },
      ]);
      const { notChecked } = check(set, { rules: nodeTuningRules });
      expect(notChecked.filter(({ why }) => why.startsWith('the rule '))).toEqual([]);
    }),
    OPTIONS,
  );
});

test('texts of any kind', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '[plugins."io.containerd.cri.v1.runtime"]',
      'version = 3',
      '[[plugins.x.y]]',
      'a.b."c" = [1,',
      '[Slice]',
      'CPUWeight=1',
      '--max-pods=5',
      '--x y',
      '{"ociVersion": "1"',
      '}',
      '"runtimes": {',
    ),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n')),
      fc.constantFrom('config.toml', 'daemon.json', 'x.conf'),
      (text, file) => {
        const kind = nodeFileKind(text, file);
        const { manifests, problems } = parseFile(text, file);
        if (kind !== undefined) {
          expect(manifests.length + problems.length).toBe(1);
        }
        for (const { origin, object } of manifests) {
          for (const key of Object.keys(object)) {
            origin.locate?.(`/${key}/none`);
          }
        }
        for (const each of Object.keys(NODE_FILE_OWNERS) as NodeFileKind[]) {
          readNodeFile(each, text);
        }
      },
    ),
    OPTIONS,
  );
});
