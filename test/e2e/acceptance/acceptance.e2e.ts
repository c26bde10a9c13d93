import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject } from '../../../src/manifests/read';
import { type BaseManifest, CORRECTED_FOLDER, corpus, manifestsIn } from '../agreement/corpus';
import { prepareCluster } from '../agreement/prepare';
import { askServer } from '../control-plane/server-verdict';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { examples, synthesized } from './synthesized';

describeLive('the server accepts', () => {
  let live: LiveCluster;
  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  it('every manifest of the corpus', async () => {
    const manifests = corpus();
    await prepareCluster(live.cluster.client, live.discovery, manifests);
    expect(await refusals(live, manifests, true)).toEqual([]);
  });

  it('the corrected manifests, as a dry run and for real', async () => {
    await expectAccepted(live, manifestsIn(CORRECTED_FOLDER));
  });

  for (const example of examples()) {
    it(`what examples/${example} synthesizes, as a dry run and for real`, async () => {
      // What installs an operator (Flux, Argo CD) is of kinds that Gantry does not know, and that this server does not serve.
      const known = (await synthesized(example)).filter(({ object }) => isServed(object));
      await expectAccepted(live, known);
    });
  }
});

/** Not of a kind that Gantry does not know, nor of an alpha version of Kubernetes' own, which this server does not switch on. */
function isServed({ apiVersion, kind }: JsonObject): boolean {
  const info = typeof apiVersion === 'string' && typeof kind === 'string' ? findKind(apiVersion, kind) : undefined;
  return info !== undefined && !(info.builtIn && info.version.includes('alpha'));
}

async function expectAccepted(live: LiveCluster, manifests: readonly BaseManifest[]): Promise<void> {
  expect(manifests.length).toBeGreaterThan(0);
  // Namespaces and priority classes that the manifests themselves bring must come early enough in their own order.
  const theirs = new Set(manifests.map(({ object }) => identityOf(object)));
  await prepareCluster(live.cluster.client, live.discovery, manifests, (object) => !theirs.has(identityOf(object)));
  expect(await refusals(live, manifests, false)).toEqual([]);
  expect(await refusals(live, manifests, true)).toEqual([]);
}

async function refusals(
  live: LiveCluster,
  manifests: readonly BaseManifest[],
  dryRun: boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { file, object } of manifests) {
    const { verdict, message } = await askServer(live.cluster.client, live.discovery, object, { dryRun });
    if (verdict !== 'accepted') {
      found.push(`${file}: ${identityOf(object)}: ${message}`);
    }
  }
  return found;
}

function identityOf(object: JsonObject): string {
  const { name, namespace } = asObject(object.metadata);
  return [object.apiVersion, object.kind, namespace, name]
    .map((part) => (typeof part === 'string' ? part : ''))
    .join(' ');
}
