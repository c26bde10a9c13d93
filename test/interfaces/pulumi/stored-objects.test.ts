import * as pulumi from '@pulumi/pulumi';
import { Chart } from 'cdk8s';
import { kubeflow, Team, volcano } from '../../../src';
import { Queue } from '../../../src/facts/api/types/scheduling.volcano.sh/v1beta1';
import { ConfigMap, Namespace as NamespaceKind } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack } from '../../../src/interfaces/pulumi';
import { mockedEngine, valueOf } from './mocked-engine';

describe('objects of a stack', () => {
  it('have the type of their kind, so that what the cluster reports is used without a cast', async () => {
    const engine = await mockedEngine();
    let job: kubeflow.PyTorchJob | undefined;
    const stack = new GantryStack('lab', (chart) => {
      job = new kubeflow.PyTorchJob(chart, 'train', { nodes: 2, image: 'registry.example.com/a:1' });
    });
    await stack.done;
    const stored = stack.get(job as kubeflow.PyTorchJob);
    const start: pulumi.Output<string | undefined> = stored.status.apply((status) => status?.startTime);
    const uid: pulumi.Output<string> = stored.metadata.uid;
    expect(await valueOf(start)).toBeUndefined();
    expect(await valueOf(uid)).toBe(`uid-of-${engine.find('train/Resource').name}`);
    // @ts-expect-error -- a job has no weight
    expect(await valueOf(pulumi.output(stored.spec).apply((spec) => spec?.weight as unknown))).toBeUndefined();
  });

  it('are found by path and by the name of their resource, with the type of a kind', async () => {
    await mockedEngine();
    const stack = new GantryStack('platform', {
      app: (app) => {
        new Team(new Chart(app, 'teams'), 'research', { quota: { cpu: 8 } });
      },
    });
    await stack.done;
    const queue = stack.get('teams/research/queue', Queue);
    const state: pulumi.Output<string | undefined> = queue.status.apply((status) => status?.state);
    expect(await valueOf(state)).toBeUndefined();
    expect(await valueOf(stack.nameOf('platform/teams/research/queue'))).toBe('research');
    expect(await valueOf(stack.nameOf('teams/research/namespace'))).toBe('research');
  });

  it('are an error where the path has none, several, another kind, or belongs to another stack', async () => {
    await mockedEngine();
    const stack = new GantryStack('lab', (chart) => {
      new Team(chart, 'research', { quota: { cpu: 8 } });
      new volcano.Queue(chart, 'training', { weight: 1 });
    });
    await stack.done;
    expect(() => stack.get('lab/trainig')).toThrow(
      'the stack lab has no construct lab/trainig. Paths begin with a chart: lab.',
    );
    expect(() => stack.get('lab/research')).toThrow(/lab\/research has \d objects. Name one of them: lab\/research\//);
    expect(() => stack.get('lab/training', ConfigMap)).toThrow(
      'lab/training/Resource is a scheduling.volcano.sh/v1beta1 Queue, not a v1 ConfigMap.',
    );
    const other = new GantryStack('other', () => undefined);
    expect(() => other.get(stack.app.node.findChild('lab').node.findChild('training'))).toThrow(
      'lab/training/Resource is not an object of the stack other. Use the stack that builds it.',
    );
  });
});

describe('two stacks', () => {
  it('refer to each other in both directions, since each object waits only for what it carries', async () => {
    const engine = await mockedEngine();
    const [uidOfSecond, resolve] = pulumi.deferredOutput<string>();
    const first = new GantryStack('first', (chart) => {
      new Resource(chart, 'ns', NamespaceKind, { metadata: { name: 'one' } });
      new Resource(chart, 'uses', ConfigMap, {
        metadata: { name: 'uses', namespace: 'one' },
        data: { other: uidOfSecond },
      });
    });
    const second = new GantryStack('second', (chart) => {
      new Resource(chart, 'ns', NamespaceKind, { metadata: { name: 'two' } });
      new Resource(chart, 'uses', ConfigMap, {
        metadata: { name: 'uses', namespace: 'two' },
        data: { other: first.get('first/ns').metadata.uid },
      });
    });
    resolve(second.get('second/ns').metadata.uid);
    await Promise.all([first.done, second.done]);
    expect(engine.find('first/uses').inputs.data).toEqual({ other: 'uid-of-second/ns' });
    expect(engine.find('second/uses').inputs.data).toEqual({ other: 'uid-of-first/ns' });
  });
});
