import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { type Reply } from '../control-plane/api-client';
import { collectionPath } from '../control-plane/discovery';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { updateCases } from '../../interfaces/difference/updates';

describeLive('updates of objects', () => {
  let live: LiveCluster;
  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  it('are taken and rejected by the server as the table says', async () => {
    const { cluster, discovery } = live;
    const wrong: string[] = [];
    for (const [index, { name, before, after, rejected }] of updateCases().entries()) {
      const kind = discovery.get(asString(before.apiVersion) ?? '', asString(before.kind) ?? '');
      if (kind === undefined) {
        wrong.push(`${name}: the server does not serve the kind`);
        continue;
      }
      const own = { name: `update-${index}`, namespace: kind.namespaced ? 'default' : '' };
      const path = `${collectionPath(kind, 'default')}/${own.name}`;
      const apply = (object: JsonObject, query = ''): Promise<Reply> =>
        cluster.client.request('PATCH', `${path}?fieldManager=gantry&force=true${query}`, {
          body: { ...object, metadata: { ...asObject(object.metadata), ...own } },
          contentType: 'application/apply-patch+yaml',
        });
      const created = await apply(before);
      const { status, body } = await apply(after, '&dryRun=All');
      if (created.status !== 201 || (status === 200) === rejected) {
        const said = created.status === 201 ? body : created.body;
        wrong.push(`${name}: ${status} ${(asString(said.message) ?? '').slice(0, 300)}`);
      }
      await cluster.client.request('DELETE', path);
    }
    expect(wrong).toEqual([]);
  });
});
