import { App } from 'cdk8s';
import { referencePlatform } from '../../../examples/reference-platform/main';
import { synthesize } from '../../../src/checks/synthesize';
import { describeReal, RealEngine } from './real-engine';

const QUEUE = '/apis/scheduling.volcano.sh/v1beta1/queues/research';

describeReal('the reference platform in the real engine', () => {
  /** The objects, the stack, its component, and the default provider. */
  const resources = synthesize(referencePlatform(new App())).objects.length + 3;
  let engine: RealEngine;

  beforeAll(async () => {
    engine = await RealEngine.start({ customResources: true });
  });
  afterAll(() => engine.stop());

  it('is previewed without touching the cluster', async () => {
    const { changes, said } = await engine.run('preview', 'platform');
    expect({ changes, said }).toMatchObject({ changes: { create: resources } });
    expect(await engine.get(QUEUE)).toBeUndefined();
  });

  it('is created: the server takes the objects that the YAML flavor writes, in the order of their dependencies', async () => {
    const { changes, outputs, said } = await engine.run('up', 'platform');
    expect({ changes, outputs, said }).toMatchObject({
      changes: { create: resources },
      outputs: { queue: 'research' },
    });
    expect(await engine.get(QUEUE)).toBeDefined();
  });

  it('is not changed by a second run', async () => {
    const { changes, said } = await engine.run('up', 'platform');
    expect({ changes, said }).toMatchObject({ changes: { same: resources } });
  });

  it('is deleted once its teams are not protected', async () => {
    expect(await engine.destroy()).toMatchObject({ failed: true });
    expect(await engine.get(QUEUE)).toBeDefined();
    await engine.unprotectAll();
    expect(await engine.destroy()).toMatchObject({ failed: false });
    expect(await engine.get(QUEUE)).toBeUndefined();
  });
});
