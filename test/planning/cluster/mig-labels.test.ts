/**
 * What the labels of a Node say about its MIG configuration: real ones of the GPU operator, and ones that cannot be.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { findAccelerator, uniformMigConfigs } from '../../../src/facts/catalog';
import { migChangeOf, migChangeText } from '../../../src/planning/cluster/objects/mig-manager';
import { nodeOf } from '../../../src/planning/cluster/objects';

const AT = Date.UTC(2026, 0, 1);
const LABELS = {
  'nvidia.com/gpu.count': '8',
  'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
  'nvidia.com/gpu.memory': '81559',
  'nvidia.com/gpu.replicas': '0',
  'nvidia.com/mig.capable': 'true',
  'nvidia.com/mig.strategy': 'mixed',
  'nvidia.com/mig.config': 'all-disabled',
  'nvidia.com/mig.config.state': 'success',
};
const CONFIGS = uniformMigConfigs(findAccelerator('H100-SXM-80GB')!.mig);
const WHOLE = { 'nvidia.com/gpu': '8' };
const CUT = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.10gb': '56' };
const PAUSED = { 'nvidia.com/gpu': '0' };
const CHANGE = migChangeText({ config: 'all-1g.10gb', at: AT, gang: 'ai/a', labels: LABELS });

interface Said {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly offers?: Readonly<Record<string, string>>;
  readonly change?: string;
}

function nodeObject({ labels = {}, offers = WHOLE, change }: Said): JsonObject {
  const all = Object.entries({ ...LABELS, ...labels }).filter(([, value]) => value !== undefined);
  return {
    metadata: {
      name: 'n',
      labels: Object.fromEntries(all),
      ...(change !== undefined && { annotations: { 'gantry.dev/mig-change': change } }),
    },
    status: { allocatable: { cpu: '64', ...offers } },
  };
}
const node = (said: Said = {}): ReturnType<typeof nodeOf> => nodeOf(nodeObject(said));
const asked = { 'nvidia.com/mig.config': 'all-1g.10gb', 'nvidia.com/mig.config.state': 'pending' };
const without = (...keys: readonly string[]): Readonly<Record<string, undefined>> =>
  Object.fromEntries(keys.map((key) => [key, undefined]));

describe('a node with a MIG manager', () => {
  it('can get each configuration that divides all of its GPUs alike', () => {
    expect(node().migConfigs).toEqual(CONFIGS);
    expect(node().migChange).toBeUndefined();
    expect(node({ labels: without('nvidia.com/mig.config') }).migConfigs).toEqual(CONFIGS);
    expect(node({ labels: { 'nvidia.com/mig.config': 'all-1g.10gb' }, offers: CUT }).migConfigs).toEqual(CONFIGS);
    const manager = { ...without('nvidia.com/mig.config.state'), 'nvidia.com/gpu.deploy.mig-manager': 'true' };
    expect(node({ labels: manager }).migConfigs).toEqual(CONFIGS);
  });

  it.each<[string, Said]>([
    ['no MIG manager', { labels: without('nvidia.com/mig.config.state') }],
    ['a configuration of its own', { labels: { 'nvidia.com/mig.config': 'notebooks' } }],
    ['a configuration of another GPU', { labels: { 'nvidia.com/mig.config': 'all-1g.5gb' } }],
    ['a configuration named like a member of every object', { labels: { 'nvidia.com/mig.config': 'constructor' } }],
    ['instances that are named like whole GPUs', { labels: { 'nvidia.com/mig.strategy': 'single' } }],
    ['GPUs without MIG', { labels: { 'nvidia.com/mig.capable': 'false' } }],
    ['a product that is not known', { labels: { 'nvidia.com/gpu.product': 'NVIDIA-Z9' } }],
    ['GPUs without MIG profiles', { labels: { 'nvidia.com/gpu.product': 'NVIDIA-L4' } }],
    ['shared GPUs', { labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3-SHARED' } }],
    ['time-sliced GPUs', { labels: { 'nvidia.com/gpu.replicas': '4' } }],
    ['a number of GPUs that is not stated', { labels: without('nvidia.com/gpu.count') }],
    ['a broken GPU', { offers: { 'nvidia.com/gpu': '7' } }],
    ['GPUs that are divided differently', { offers: { 'nvidia.com/gpu': '7', 'nvidia.com/mig-1g.10gb': '7' } }],
  ])('keeps its configuration with %s', (_, said) => {
    expect(node(said)).not.toHaveProperty('migConfigs');
    expect(node(said)).not.toHaveProperty('migChange');
  });

  it('changes from the request until it offers what the configuration makes of its GPUs', () => {
    const changing = { migChange: 'all-1g.10gb', migConfigs: CONFIGS, deviceResource: 'nvidia.com/gpu' };
    const requested = node({ labels: asked, change: CHANGE });
    expect(requested).toMatchObject(changing);
    expect(requested.devices).toHaveLength(8);
    expect(node({ labels: asked, offers: PAUSED, change: CHANGE })).toMatchObject(changing);
    // The MIG manager says that it is done before the device plugin has started.
    const done = { ...asked, 'nvidia.com/mig.config.state': 'success' };
    expect(node({ labels: done, offers: PAUSED, change: CHANGE })).toMatchObject(changing);
    const part = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.10gb': '49' };
    expect(node({ labels: done, offers: part, change: CHANGE })).toMatchObject(changing);
    for (const labels of [asked, done]) {
      const ended = node({ labels, offers: CUT, change: CHANGE });
      expect(ended).not.toHaveProperty('migChange');
      expect(ended.migConfigs).toEqual(CONFIGS);
      expect(ended.devices?.[0].mig).toEqual({ '1g.10gb': 7 });
    }
  });

  it('keeps the description of its GPUs while feature discovery is stopped', () => {
    const lost = without(
      'nvidia.com/gpu.count',
      'nvidia.com/gpu.product',
      'nvidia.com/mig.capable',
      'nvidia.com/mig.strategy',
    );
    const changing = node({ labels: { ...asked, ...lost }, offers: PAUSED, change: CHANGE });
    expect(changing.migChange).toBe('all-1g.10gb');
    expect(changing.labels).toMatchObject({ 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' });
    expect(changing.devices).toHaveLength(8);
    expect(changing.devices?.[0].memoryMiB).toBe(81559);
    // The annotation of an earlier change describes nothing.
    const later = node({
      labels: { ...asked, ...lost, 'nvidia.com/mig.config': 'all-disabled' },
      offers: PAUSED,
      change: CHANGE,
    });
    expect(later.labels).not.toHaveProperty(['nvidia.com/gpu.product']);
    expect(later.migChange).toBeUndefined();
  });

  it('changes too when an administrator set the label, while the MIG manager works', () => {
    expect(node({ labels: asked, offers: PAUSED }).migChange).toBe('all-1g.10gb');
    expect(node({ labels: { ...asked, 'nvidia.com/mig.config.state': 'rebooting' } }).migChange).toBe('all-1g.10gb');
    expect(node({ labels: { ...asked, 'nvidia.com/mig.config.state': 'success' } }).migChange).toBeUndefined();
  });

  it('does not get a configuration that failed, as the MIG manager would not try it again', () => {
    const failed = node({ labels: { ...asked, 'nvidia.com/mig.config.state': 'failed' }, change: CHANGE });
    expect(failed).not.toHaveProperty('migChange');
    expect(Object.keys(failed.migConfigs!)).toEqual(Object.keys(CONFIGS).filter((name) => name !== 'all-1g.10gb'));
    expect(failed.devices).toHaveLength(8);
  });
});

describe('the annotation of a change', () => {
  const read = (change: string): ReturnType<typeof migChangeOf> => migChangeOf(nodeObject({ change }));

  it('is read as it was written, without labels that describe no device', () => {
    const labels = { ...LABELS, team: 'a' };
    const text = migChangeText({ config: 'all-1g.10gb', at: AT, gang: 'ai/a', labels });
    expect(text).not.toContain('team');
    expect(read(text)).toMatchObject({ config: 'all-1g.10gb', at: AT, gang: 'ai/a' });
    expect(Object.keys(read(text)!.labels).sort()).toEqual([
      'nvidia.com/gpu.count',
      'nvidia.com/gpu.memory',
      'nvidia.com/gpu.product',
      'nvidia.com/mig.capable',
      'nvidia.com/mig.strategy',
    ]);
  });

  it.each(['', 'x', '[]', 'null', '1', '{}', '{"config":1,"at":"2026-01-01T00:00:00Z"}', '{"config":"a","at":"soon"}'])(
    '%j says nothing',
    (text) => expect(read(text)).toBeUndefined(),
  );

  it('says nothing where it is longer than any that the scheduler writes', () => {
    const long = { config: 'a', at: '2026-01-01T00:00:00Z', gang: 'g'.repeat(5000) };
    expect(read(JSON.stringify(long))).toBeUndefined();
  });

  it('sets no other label of the node', () => {
    const labels = { 'node-role.kubernetes.io/control-plane': '', 'nvidia.com/gpu.count': '4' };
    const change = JSON.stringify({ config: 'all-1g.10gb', at: '2026-01-01T00:00:00Z', labels });
    const lost = node({ labels: { ...asked, ...without('nvidia.com/gpu.count') }, change });
    expect(lost.labels).toMatchObject({ 'nvidia.com/gpu.count': '4' });
    expect(lost.labels).not.toHaveProperty(['node-role.kubernetes.io/control-plane']);
  });
});
