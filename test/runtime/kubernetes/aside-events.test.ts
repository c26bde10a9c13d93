/**
 * The events of objects that are set aside: on which object, in which words, and how often.
 */
import { AsideEvents } from '../../../src/runtime/kubernetes/aside-events';
import { type Regarding } from '../../../src/runtime/kubernetes/explain';
import { type AsideKind } from '../../../src/runtime/kubernetes/world/set-aside';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { pod, Source } from './watched-source';

class Reported {
  readonly source = new Source();
  readonly world = new World(this.source, DEFAULT_CONFIGURATION);
  readonly events: { readonly on: Regarding; readonly note: string }[] = [];
  now = 0;
  private readonly all = new AsideEvents({
    world: this.world,
    watched: this.source,
    explainer: {
      eventOf: (on, type, reason, note) => {
        expect([type, reason]).toEqual(['Warning', 'SetAside']);
        this.events.push({ on, note });
      },
    },
    limits: () => ({ repeatSeconds: 300 }),
    clock: { monotonic: () => this.now, wall: () => this.now },
  });

  begins(kind: AsideKind, name: string, reason = 'broken'): boolean {
    return this.all.begins({ kind, name, reason });
  }

  get on(): readonly string[] {
    return this.events.map(({ on: { apiVersion, kind, namespace = '', name } }) =>
      [apiVersion, kind, namespace, name].join(' '),
    );
  }

  idOf(name: string): string {
    return [...this.world.gangs].find(([, { identity }]) => identity.name === name)![0];
  }
}

const group = (name: string): Record<string, string> => ({ 'scheduling.k8s.io/group-name': name });

test('the event of a node, a queue, and a pod is that of the object', () => {
  const reported = new Reported();
  reported.begins('node', 'n-1');
  reported.begins('queue', 'research');
  reported.begins('pod', 'ns/a');
  reported.begins('object', 'ns/b');
  expect(reported.on).toEqual(['v1 Node  n-1', 'scheduling.volcano.sh/v1beta1 Queue  research', 'v1 Pod ns a']);
  expect(reported.events[0].note).toBe('The scheduler ignores it: broken.');
});

test('the event of a gang is that of its PodGroup, or of its first pod where it has none', () => {
  const reported = new Reported();
  reported.source.put('volcanoPodGroups', {
    metadata: { namespace: 'default', name: 'known', uid: 'u-known' },
    spec: { minMember: 1 },
  });
  reported.source.put('pods', pod('k-0', { annotations: group('known') }));
  reported.source.put('pods', pod('z-1', { annotations: group('unknown') }));
  reported.source.put('pods', pod('z-0', { annotations: group('unknown') }));
  reported.begins('gang', reported.idOf('known'));
  reported.begins('gang', reported.idOf('unknown'));
  reported.begins('gang', 'ns/podgroup/never-seen');
  expect(reported.on).toEqual(['scheduling.volcano.sh/v1beta1 PodGroup default known', 'v1 Pod default z-0']);
  expect(reported.events[0].on.uid).toBe('u-known');
  expect(reported.events.map(({ note }) => note)).toEqual([
    'The scheduler ignores it: broken.',
    'The scheduler ignores the gang of the pod: broken.',
  ]);
});

test('it is repeated for another reason, or after the interval of repeated events', () => {
  const reported = new Reported();
  expect(reported.begins('node', 'n')).toBe(true);
  reported.now = 299_999;
  expect(reported.begins('node', 'n')).toBe(false);
  expect(reported.begins('node', 'n', 'worse')).toBe(true);
  expect(reported.begins('node', 'n')).toBe(true);
  reported.now = 599_999;
  expect(reported.begins('node', 'n')).toBe(true);
  expect(reported.events).toHaveLength(4);
});

test('what is known of objects that were set aside is bounded', () => {
  const reported = new Reported();
  for (let i = 0; i < 5001; i++) {
    reported.begins('node', `n-${i}`);
  }
  expect(reported.begins('node', 'n-1')).toBe(false);
  expect(reported.begins('node', 'n-0')).toBe(true);
});

test('what was reported last is known longest, where too many objects are set aside', () => {
  const reported = new Reported();
  for (let i = 0; i < 5000; i++) {
    reported.begins('node', `n-${i}`);
  }
  expect(reported.begins('node', 'n-0', 'another reason')).toBe(true);
  expect(reported.begins('node', 'n-5000')).toBe(true);
  expect(reported.begins('node', 'n-0', 'another reason')).toBe(false);
  expect(reported.begins('node', 'n-1')).toBe(true);
});
