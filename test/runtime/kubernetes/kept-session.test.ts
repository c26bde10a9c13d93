import { DEFAULT_POLICY } from '../../../src/placement';
import { KeptSession } from '../../../src/runtime/kubernetes/kept-session';
import { cluster, gang, node, running, template } from '../../placement/builders';

describe('the session that is kept between cycles', () => {
  const snapshot = cluster([node('a', 4)], [gang('g', 1, template(1))], [running('g', 'a')]);

  it('is the same from cycle to cycle, and follows what changes', () => {
    const kept = new KeptSession(() => undefined);
    const first = kept.of(snapshot, DEFAULT_POLICY);
    const second = kept.of({ ...snapshot, pods: [] }, DEFAULT_POLICY);
    expect(second).toBe(first);
    expect([...second.table.wholeFree]).toEqual([4]);
  });

  it('is built again when a comparison finds that it has gone astray', () => {
    const told: string[] = [];
    const kept = new KeptSession((difference) => told.push(difference), 2);
    const first = kept.of(snapshot, DEFAULT_POLICY);
    first.table.deviceFree[3] = 0;
    expect(kept.of(snapshot, DEFAULT_POLICY)).toBe(first);
    const mended = kept.of(snapshot, DEFAULT_POLICY);
    expect(mended).not.toBe(first);
    expect(mended.table.deviceFree[3]).toBe(1000);
    expect(told).toEqual([expect.stringContaining('device 3 of node "a"')]);
    expect(kept.of(snapshot, DEFAULT_POLICY)).toBe(mended);
  });

  it('is built again after a snapshot that contradicts itself', () => {
    const kept = new KeptSession(() => undefined);
    const first = kept.of(snapshot, DEFAULT_POLICY);
    expect(() => kept.of({ ...snapshot, gangs: [] }, DEFAULT_POLICY)).toThrow('which is not in the snapshot');
    expect(kept.of(snapshot, DEFAULT_POLICY)).not.toBe(first);
  });
});
