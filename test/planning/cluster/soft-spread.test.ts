/**
 * The soft spread over hosts that InferenceService writes by default never keeps its pods pending, and no reason names it.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, Mount, serving } from '../../../src';
import { Testing } from '../../../src/interfaces/testing';
import { clusterOf, gangNamed, gpus, plan } from './builders';

function service(replicas: number): string[] {
  const chart = new Chart(new App(), 'stack', { namespace: 'ai' });
  new serving.InferenceService(chart, 'chat', {
    image: 'vllm/vllm-openai:v0.14.0',
    port: 8000,
    loadingTime: Duration.minutes(4),
    accelerators: Accelerator.nvidia({ count: 2 }),
    model: Mount.claim('llama', '/model', { readOnly: true }),
    sharedMemory: '16Gi',
    resources: { cpu: 4, memory: '50Gi' },
    replicas,
  });
  return Testing.synth(chart).map((manifest) => JSON.stringify(manifest));
}

const twoNodes = clusterOf('pools: [{name: h100, names: n-#, count: 2, accelerator: H100-SXM-80GB}]');
const filler = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: filler, namespace: ai}\nspec: {template: {spec: ${gpus(8, 'restartPolicy: Never, ')}}}`;

it('gives way to a gang that needs a whole node, so all replicas are on the other', () => {
  expect(service(4).join()).toContain('"whenUnsatisfiable":"ScheduleAnyway"');
  const result = plan([...service(4), filler], twoNodes);
  const { state, where } = gangNamed(result, 'ai/chat');
  expect([state, where?.map(([, pods]) => pods)]).toEqual(['placed', [4]]);
  expect(gangNamed(result, 'ai/filler').state).toBe('placed');
});

it('is not named where the devices are too few', () => {
  const { placed, pending } = gangNamed(plan([...service(5), filler], twoNodes), 'ai/chat');
  expect([placed, pending?.blocked.map(({ constraint }) => constraint)]).toEqual([4, ['devices']]);
  expect(pending?.message).toBe('No node has enough free nvidia.com/gpu (0 of 2).');
});
