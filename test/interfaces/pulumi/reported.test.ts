/**
 * What a stack says of its findings: in Pulumi's log, and where objects are checked after the others.
 */
import * as pulumi from '@pulumi/pulumi';
import { Accelerator, kubeflow } from '../../../src';
import { type Carried } from '../../../src/manifests/values/deferred';
import { ConfigMap, Namespace } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack } from '../../../src/interfaces/pulumi';
import { mockedEngine, unknownOutput, valueOf } from './mocked-engine';

interface Logged {
  readonly level: 'info' | 'warn';
  readonly text: string;
  readonly urn: string | undefined;
}

/** What a program logs from here on. */
function logOf(): () => Promise<readonly Logged[]> {
  const logged: Promise<Logged>[] = [];
  for (const level of ['info', 'warn'] as const) {
    jest.spyOn(pulumi.log, level).mockImplementation((...[text, resource]) => {
      const urn = resource === undefined ? Promise.resolve(undefined) : valueOf(resource.urn);
      logged.push(urn.then((known) => ({ level, text, urn: known })));
      return Promise.resolve();
    });
  }
  return () => Promise.all(logged);
}

afterEach(() => {
  jest.restoreAllMocks();
});

function job(cpu: Carried<number>): GantryStack {
  return new GantryStack('lab', (chart) => {
    new kubeflow.PyTorchJob(chart, 'train', {
      namespace: 'research',
      nodes: 1,
      image: 'registry.example.com/train:1',
      accelerators: Accelerator.nvidia({ count: 8 }),
      resources: { cpu, memory: '64Gi' },
    });
  });
}

describe("Pulumi's log", () => {
  it('has a warning at the resource of its object', async () => {
    await mockedEngine();
    const log = logOf();
    await job(8).done;
    expect(await log()).toContainEqual({
      level: 'warn',
      text: expect.stringContaining('pods/shared-memory-for-several-gpus') as unknown,
      urn: 'urn:pulumi:stack::project::gantry:index:GantryStack$kubernetes:kubeflow.org/v1:PyTorchJob::lab/train/Resource',
    });
  });

  it('says in a preview how many rules depend on outputs that are not known yet', async () => {
    await mockedEngine(true);
    const log = logOf();
    const { notJudged = [] } = await job(unknownOutput<number>()).done;
    const rules = new Set(notJudged.map(({ rule }) => rule)).size;
    expect(rules).toBeGreaterThan(1);
    expect(await log()).toContainEqual({
      level: 'info',
      text: `${rules} rules depend on outputs that are not known yet; they are checked by pulumi up`,
      urn: 'urn:pulumi:stack::project::gantry:index:GantryStack::lab',
    });
  });
});

describe('an object that carries an output of its own stack', () => {
  it('is checked with the value, after the others were registered, and not registered where that is an error', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('lab', (chart, built) => {
      const namespace = new Resource(chart, 'ns', Namespace, { metadata: { name: 'research' } });
      const { uid } = built.get(namespace).metadata;
      new Resource(chart, 'late', ConfigMap, {
        metadata: { name: 'late', namespace: 'research', labels: { owner: pulumi.interpolate`${uid} of it` } },
      });
    });
    await expect(stack.done).rejects.toThrow(
      /uid-of-lab\/ns of it[^]*urn:pulumi:stack::project::gantry:index:GantryStack\$kubernetes:core\/v1:ConfigMap::lab\/late/,
    );
    expect(engine.registered.map(({ name }) => name)).toEqual(['lab', 'lab/ns']);
  });
});

test('an Output that a program turned into text before it built the stack is an error', async () => {
  const engine = await mockedEngine();
  // oxlint-disable-next-line typescript/no-base-to-string -- the mistake that the rule finds
  const text = String(pulumi.output('data'));
  const stack = new GantryStack('lab', (chart) => {
    new Resource(chart, 'settings', ConfigMap, { metadata: { name: 's' }, data: { bucket: text } });
  });
  await expect(stack.done).rejects.toThrow('pulumi/output-has-value');
  expect(engine.registered.map(({ name }) => name)).toEqual(['lab']);
});
