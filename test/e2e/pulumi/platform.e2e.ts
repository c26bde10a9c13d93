import { App } from 'cdk8s';
import { referencePlatform } from '../../../examples/reference-platform/main';
import { synthesize } from '../../../src/checks/synth/synthesize';
import { type JsonObject } from '../../../src/facts/api/schema';
import { idOf, kindKey } from '../../../src/manifests/identity';
import { asObject, asString } from '../../../src/manifests/read';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { describeReal, RealEngine } from './real-engine';

const QUEUE = '/apis/scheduling.volcano.sh/v1beta1/queues/research';
/** Namespaces of what is installed before the platform: Flux, which applies the releases, and Volcano. */
const INSTALLED = ['flux-system', 'volcano-system'];

/** The definitions of the kinds of these objects. */
function definitionsOf(objects: readonly JsonObject[]): readonly JsonObject[] {
  const kinds = new Set(objects.map((object) => kindKey(idOf(object))));
  return coveredDefinitions().filter(({ spec }) => {
    const { group, names } = asObject(spec);
    return kinds.has(`${asString(group) ?? ''}/${asString(asObject(names).kind) ?? ''}`);
  });
}

describeReal('the reference platform in the real engine', () => {
  const { objects } = synthesize(referencePlatform(new App()));
  /** The objects, the stack, and its component. */
  const resources = objects.length + 2;
  let engine: RealEngine;

  beforeAll(async () => {
    engine = await RealEngine.start({ definitions: definitionsOf(objects), namespaces: INSTALLED });
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
    expect(await engine.destroy()).toMatchObject({
      failed: true,
      said: expect.stringContaining('protected') as unknown,
    });
    expect(await engine.get(QUEUE)).toBeDefined();
    await engine.unprotectAll();
    const { failed, said } = await engine.destroy();
    expect({ failed, said }).toMatchObject({ failed: false });
    expect(await engine.get(QUEUE)).toBeUndefined();
  });
});
