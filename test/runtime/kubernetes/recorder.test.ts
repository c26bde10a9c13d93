/**
 * Which events of a gang the history gets: one for each change of what it is at, and none where it only changes otherwise.
 */
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { Recorder } from '../../../src/runtime/kubernetes/history/recorder';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { NODE, NOW, pod, type PodShape, Source } from './watched-source';

const AT = NOW / 1000;

test('a gang arrives, starts, stops, and ends once each, however often its pods change', () => {
  const source = new Source();
  const world = new World(source, DEFAULT_CONFIGURATION);
  const recorder = new Recorder(world);
  recorder.resume({ open: new Map(), nextId: 1 });
  source.put('nodes', NODE);
  let now = AT;
  /** The pod is put, or deleted, and the kinds of events that follow. */
  const after = (shape: PodShape | undefined): readonly string[] => {
    const key = 'default/a';
    const before = world.pods.get(key);
    if (shape === undefined) {
      source.remove('pods', key);
    } else {
      source.put('pods', pod('a', { gang: 'g', minimum: 1, ...shape }));
    }
    recorder.touch((world.pods.get(key) ?? before)!);
    recorder.look(++now);
    return recorder.take(now).map(({ kind }) => kind);
  };
  const running: PodShape = { node: 'n-1', phase: 'Running' };
  expect(after({})).toEqual(['arrive']);
  expect(after({ labels: { changed: 'once' } })).toEqual([]);
  expect(after(running)).toEqual(['start']);
  expect(after({ ...running, labels: { changed: 'twice' } })).toEqual([]);
  expect(after({})).toEqual(['stop']);
  expect(after({ labels: { changed: 'again' } })).toEqual([]);
  expect(after(undefined)).toEqual(['end']);
});
