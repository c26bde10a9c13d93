/**
 * What is reported of objects that the scheduler skips.
 */
import { type Aside, SetAside } from '../../../src/runtime/kubernetes/world/set-aside';

const PODS: Aside = { kind: 'pod', name: 'ns/a', reason: 'bad amount' };

test('an object is reported when it is skipped, and again only for another reason or after it was fine', () => {
  const aside = new SetAside();
  const reported: string[] = [];
  aside.onNew = ({ kind, name, reason }) => void reported.push(`${kind} ${name}: ${reason}`);
  aside.put(PODS);
  aside.put({ ...PODS });
  expect(reported).toEqual(['pod ns/a: bad amount']);
  aside.put({ ...PODS, reason: 'bad label' });
  aside.put(PODS);
  aside.remove('pod', 'ns/a');
  aside.put(PODS);
  expect(reported.slice(1)).toEqual(['pod ns/a: bad label', 'pod ns/a: bad amount', 'pod ns/a: bad amount']);
});

test('objects of two kinds with the same name are told apart', () => {
  const aside = new SetAside();
  aside.put({ kind: 'queue', name: 'a', reason: 'cycle' });
  aside.put({ kind: 'node', name: 'a', reason: 'too many devices' });
  expect(aside.list).toHaveLength(2);
  expect(aside.reasonOf('queue', 'a')).toBe('cycle');
  aside.remove('queue', 'a');
  expect(aside.reasonOf('queue', 'a')).toBeUndefined();
  expect(aside.list).toEqual([{ kind: 'node', name: 'a', reason: 'too many devices' }]);
});
