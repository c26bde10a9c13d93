import { Chart, Testing } from 'cdk8s';
import { ConfigMap } from '../../../src/facts/api/types/core/v1';
import { PriorityClass } from '../../../src/facts/api/types/scheduling.k8s.io/v1';
import { Queue } from '../../../src/facts/api/types/scheduling.volcano.sh/v1beta1';
import { Resource } from '../../../src/constructs/resources/resource';

function chart(): Chart {
  return new Chart(Testing.app(), 'test', { namespace: 'research' });
}

test('an object is in the namespace of its chart, a cluster-scoped one in none', () => {
  const scope = chart();
  expect(new Resource(scope, 'map', ConfigMap, {}).toJson()).toMatchObject({ metadata: { namespace: 'research' } });
  expect(new Resource(scope, 'queue', Queue, { spec: {} }).toJson()).not.toHaveProperty('metadata.namespace');
  expect(new Resource(scope, 'class', PriorityClass, { metadata: { name: 'high' }, value: 1 }).toJson()).toEqual({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1,
  });
});

test('a namespace that somebody wrote stays, for the check to report', () => {
  const queue = new Resource(chart(), 'queue', Queue, { metadata: { namespace: 'mine' }, spec: {} });
  expect(queue.toJson()).toMatchObject({ metadata: { namespace: 'mine' } });
});

test('what the types do not know is written unchanged', () => {
  const queue = new Resource(chart(), 'queue', Queue, { spec: { weight: 1, guaranteed: { cpu: 1 } } as object });
  expect(queue.toJson()).toMatchObject({ spec: { weight: 1, guaranteed: { cpu: 1 } } });
});
