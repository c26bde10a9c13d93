/**
 * Pods that are alike are worked on once.
 */
import { DEFAULT_POLICY, type PodTemplate } from '../../src/placement';
import { Session } from '../../src/placement/books/session';
import { cluster, gang, node, template } from './builders';

function classes(...templates: readonly PodTemplate[]): number {
  return new Session(
    cluster(
      [node('n', 8)],
      templates.map((pod, index) => gang(`g-${index}`, 1, pod)),
    ),
    DEFAULT_POLICY,
  ).classes.list.length;
}

const labeled = (index: string, more: Partial<PodTemplate> = {}): PodTemplate =>
  template(1, { labels: { app: 'train', index }, ...more });

it('labels and namespaces that no selector uses make no difference', () => {
  expect(classes(labeled('0'), labeled('1'), labeled('2', { namespace: 'other' }))).toBe(1);
});

it('labels that any pod selects by do, and no others', () => {
  const chooses = (key: string): PodTemplate =>
    template(1, { podAntiAffinity: [{ topologyKey: 'host', selector: { labels: [{ key, operator: 'Exists' }] } }] });
  expect(classes(labeled('0'), labeled('1'), chooses('app'))).toBe(2);
  expect(classes(labeled('0'), labeled('1'), chooses('index'))).toBe(3);
  expect(classes(labeled('0'), labeled('0', { namespace: 'other' }), chooses('app'))).toBe(3);
});
