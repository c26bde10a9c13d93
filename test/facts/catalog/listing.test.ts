import { versionOf } from '../../../src/facts/upstream';
import {
  ACCELERATORS,
  CATALOG_TOPICS,
  catalogEntries,
  catalogSuggestions,
  catalogTables,
} from '../../../src/facts/catalog';

describe('catalog tables', () => {
  test('there is one for each topic, and each row fills its columns', () => {
    const tables = catalogTables();
    expect(tables.map((table) => table.topic)).toEqual([...CATALOG_TOPICS]);
    for (const table of tables) {
      expect(table.rows.length).toBeGreaterThan(0);
      for (const row of table.rows) {
        expect(row).toHaveLength(table.columns.length);
      }
    }
  });

  test('one topic alone can be had', () => {
    const [accelerators, ...others] = catalogTables('accelerators');
    expect(others).toEqual([]);
    expect(accelerators?.rows).toHaveLength(ACCELERATORS.length);
    expect(accelerators?.rows[0]).toEqual([
      'A30',
      'NVIDIA',
      '24 GB',
      'ampere',
      'PCIe',
      'PCIe',
      'nvidia.com/gpu',
      '1g.6gb×4, 1g.6gb+me×1, 2g.12gb×2, 2g.12gb+me×1, 4g.24gb×1',
    ]);
  });
});

describe('catalog entries', () => {
  test('an accelerator comes with its MIG profiles', () => {
    const [entry, ...others] = catalogEntries('h100 sxm');
    expect(others).toEqual([]);
    expect(entry?.name).toBe('H100-SXM-80GB');
    expect(entry?.facts).toContainEqual(['memory', '80 GB nominal, 81559 MiB as the driver reports it']);
    expect(entry?.tables[0]?.rows[0]).toEqual(['1g.10gb', '7', '1', '10 GB', 'nvidia.com/mig-1g.10gb', 'all-1g.10gb']);
  });

  test('a short name lists every accelerator it stands for', () => {
    expect(catalogEntries('A100').map((entry) => entry.name)).toEqual([
      'A100-SXM-40GB',
      'A100-PCIe-40GB',
      'A100-SXM-80GB',
      'A100-PCIe-80GB',
    ]);
  });

  test('a name may be a resource and a taint at once', () => {
    expect(catalogEntries('nvidia.com/gpu').map((entry) => entry.topic)).toEqual(['resources', 'taints']);
  });

  test.each([
    ['nvidia.com/gpu.memory', 'labels', ['unit', 'MiB']],
    ['GKE', 'clouds', ['spot taint', 'cloud.google.com/gke-spot=true:NoSchedule']],
    ['gpu.nvidia.com', 'device-classes', ['meaning', 'a whole GPU']],
    ['nccl_algo', 'nccl', ['for debugging only', 'yes']],
    ['volcano', 'projects', ['version', versionOf('volcano')]],
    ['nvidia.com/mig-3g.40gb', 'resources', ['unit', 'slice']],
    ['DCGM_FI_DEV_FB_USED_BYTES', 'metrics', ['unit', 'MiB']],
    ['AMD', 'vendors', ['measured by', 'AMD device-metrics-exporter']],
    ['mi355x', 'accelerators', ['fabric', 'xGMI: 8 of a node']],
    ['xid 79', 'xids', ['action', 'drain and reboot the node']],
  ] as const)('%s is found under %s', (name, topic, fact) => {
    const entry = catalogEntries(name).find((found) => found.topic === topic);
    expect(entry?.facts).toContainEqual([...fact]);
  });

  test('an unknown name finds nothing, but its neighbors', () => {
    expect(catalogEntries('nvidia.com/gpus')).toEqual([]);
    expect(catalogSuggestions('nvidia.com/gpus')[0]).toBe('nvidia.com/gpu');
    expect(catalogSuggestions('H10O-SXM-80GB')).toContain('H100-SXM-80GB');
    expect(catalogSuggestions('zzzzzzzzzzzzzzzzzzzzzzzz')).toEqual([]);
  });
});
