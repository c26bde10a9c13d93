import { App } from 'cdk8s';
import { pulumiPlatform } from '../../examples/pulumi-platform/main';
import { referencePlatform } from '../../examples/reference-platform/main';
import { synthesize } from '../../src/checks/synth/synthesize';
import { idOf } from '../../src/manifests/identity';
import { type JsonObject } from '../../src/facts/api/schema';
import { mockedEngine, unwrapped } from '../interfaces/pulumi/mocked-engine';

/** The annotations that the bridge adds for the provider are the one difference between the flavors. */
function withoutProviderAnnotations(object: JsonObject): JsonObject {
  const { annotations, ...metadata } = object.metadata as JsonObject & { readonly annotations?: JsonObject };
  const own = Object.entries(annotations ?? {}).filter(([key]) => !key.startsWith('pulumi.com/'));
  return {
    ...object,
    metadata: { ...metadata, ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }) },
  };
}

test('the Pulumi flavor of the reference platform registers the objects that the YAML flavor writes', async () => {
  const written = synthesize(referencePlatform(new App())).objects;
  const engine = await mockedEngine();
  await pulumiPlatform().done;
  const registered = engine.registered
    .filter(({ type }) => type.startsWith('kubernetes:'))
    .map(({ inputs }) => withoutProviderAnnotations(unwrapped(inputs) as JsonObject));
  const byIdentity = (objects: readonly JsonObject[]): readonly JsonObject[] =>
    [...objects].sort((a, b) => (JSON.stringify(idOf(a)) < JSON.stringify(idOf(b)) ? -1 : 1));
  expect(registered.length).toBeGreaterThan(50);
  expect(byIdentity(registered)).toEqual(byIdentity(written));
});
