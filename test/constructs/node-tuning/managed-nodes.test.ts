/**
 * Managed nodes: each platform gets the settings that it supports, and the rest is listed.
 */
import { parse } from 'yaml';
import { readToml } from '../../../src/manifests/texts/toml-text';
import { KubeletDropIn, ManagedNodes } from '../../../src/constructs/node-tuning';

const nodes = new ManagedNodes({
  kubelet: new KubeletDropIn({ kubeReserved: { cpu: 1, memory: '2Gi' }, singleProcessOomKill: true }),
  sysctls: { 'net.core.rmem_max': 67_108_864, 'vm.zone_reclaim_mode': 0 },
  transparentHugePages: {},
});

test('GKE', () => {
  const { files, left } = nodes.toGke();
  expect(files.map(({ name, text }) => [name, parse(text) as unknown])).toEqual([
    [
      'node-system-config.yaml',
      {
        kubeletConfig: {
          cpuManagerPolicy: 'static',
          topologyManager: { policy: 'restricted', scope: 'pod' },
          podPidsLimit: 65_536,
          singleProcessOOMKill: true,
        },
        linuxConfig: {
          sysctl: { 'net.core.rmem_max': '67108864' },
          transparentHugepageEnabled: 'TRANSPARENT_HUGEPAGE_ENABLED_MADVISE',
          transparentHugepageDefrag: 'TRANSPARENT_HUGEPAGE_DEFRAG_DEFER_WITH_MADVISE',
        },
      },
    ],
  ]);
  expect(left).toEqual(['cpuManagerPolicyOptions', 'kubeReserved', 'vm.zone_reclaim_mode']);
});

test('AKS', () => {
  const { files, left } = nodes.toAks();
  expect(files.map(({ name, text }) => [name, JSON.parse(text) as unknown])).toEqual([
    [
      'linuxkubeletconfig.json',
      { cpuManagerPolicy: 'static', topologyManagerPolicy: 'restricted', podMaxPids: 65_536 },
    ],
    [
      'linuxosconfig.json',
      {
        transparentHugePageEnabled: 'madvise',
        transparentHugePageDefrag: 'defer+madvise',
        sysctls: { netCoreRmemMax: 67_108_864 },
      },
    ],
  ]);
  expect(left).toEqual([
    'cpuManagerPolicyOptions',
    'topologyManagerScope',
    'kubeReserved',
    'singleProcessOOMKill',
    'vm.zone_reclaim_mode',
  ]);
});

test('Bottlerocket', () => {
  const { files, left } = nodes.toBottlerocket();
  expect(readToml(files[0].text)).toMatchObject({
    value: {
      settings: {
        kubernetes: {
          'cpu-manager-policy': 'static',
          'topology-manager-policy': 'restricted',
          'topology-manager-scope': 'pod',
          'pod-pids-limit': 65_536,
          'kube-reserved': { cpu: '1', memory: '2Gi' },
        },
        kernel: { sysctl: { 'net.core.rmem_max': '67108864', 'vm.zone_reclaim_mode': '0' } },
      },
    },
  });
  expect(left).toEqual(['cpuManagerPolicyOptions', 'singleProcessOOMKill', '/sys/kernel/mm/transparent_hugepage']);
});

test('Talos takes everything', () => {
  const { files, left } = nodes.toTalos();
  expect(parse(files[0].text)).toMatchObject({
    machine: {
      kubelet: {
        extraConfig: {
          cpuManagerPolicy: 'static',
          singleProcessOOMKill: true,
          kubeReserved: { cpu: '1', memory: '2Gi' },
        },
      },
      sysctls: { 'net.core.rmem_max': '67108864', 'vm.zone_reclaim_mode': '0' },
      sysfs: {
        'kernel.mm.transparent_hugepage.enabled': 'madvise',
        'kernel.mm.transparent_hugepage.defrag': 'defer+madvise',
      },
    },
  });
  expect([left, files[0].text.includes('apiVersion')]).toEqual([[], false]);
});

test('what is not stated is not written', () => {
  expect(new ManagedNodes({ sysctls: { 'vm.swappiness': 1 } }).toAks().files.map(({ name }) => name)).toEqual([
    'linuxosconfig.json',
  ]);
  expect(() => new ManagedNodes({ sysctls: { 'vm.swappiness': 900 } }).toGke()).toThrow('must be between 0 and 200');
});
