import { asObject, asString } from '../../../src/manifests/read';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type Change } from './programs';
import { describeReal, RealEngine } from './real-engine';

describeReal('GantryStack in the real engine', () => {
  let engine: RealEngine;

  beforeAll(async () => {
    engine = await RealEngine.start();
  });
  afterAll(() => engine.stop());

  const config = (name: string): Promise<JsonObject | undefined> =>
    engine.get(`/api/v1/namespaces/lab/configmaps/${name}`);

  const two: Change = { text: 'two' };

  it('previews without touching the cluster', async () => {
    expect(await engine.run('preview', 'lab')).toMatchObject({ changes: { create: 8 } });
    expect(await engine.get('/api/v1/namespaces/lab')).toBeUndefined();
  });

  it('creates everything in an order that the server takes, with outputs of the stack in other objects', async () => {
    expect(await engine.run('up', 'lab')).toMatchObject({ changes: { create: 8 }, outputs: { namespace: 'lab' } });
    const uid = asString(asObject((await engine.get('/api/v1/namespaces/lab'))?.metadata).uid);
    expect(asObject((await config('late'))?.data).uid).toBe(uid);
    expect(await engine.get('/apis/lab.example.com/v1/namespaces/lab/widgets/w')).toBeDefined();
  });

  it('keeps secrets encrypted in the state file', () => {
    const state = engine.space.stateFile();
    expect(state).toContain('kubernetes:core/v1:Secret');
    expect(state).not.toContain('a-secret-of-the-test');
  });

  it('changes nothing in a second run', async () => {
    expect((await engine.run('up', 'lab')).changes).toEqual({ same: 8 });
  });

  it('changes what changed', async () => {
    expect((await engine.run('up', 'lab', two)).changes).toEqual({ same: 7, update: 1 });
    expect(asObject((await config('settings'))?.data).text).toBe('two');
  });

  it('keeps the object of a construct that was renamed', async () => {
    const before = asObject((await config('settings'))?.metadata).uid;
    const { changes } = await engine.run('up', 'lab', { ...two, id: 'options', from: 'lab/settings' });
    expect(changes).toEqual({ same: 8 });
    expect(asObject((await config('settings'))?.metadata).uid).toBe(before);
  });

  it.each(['preview', 'up'] as const)(
    'stops at a failing check before anything is created, in %s, with the URN',
    async (command) => {
      const { failed, said } = await engine.run(command, 'rejected');
      expect(failed).toBe(true);
      expect(said).toContain(
        'urn:pulumi:test::gantry::gantry:index:GantryStack$kubernetes:core/v1:ConfigMap::more/bad',
      );
      expect(said).toContain('the name "Bad_Name" must consist of lowercase letters');
      expect(said).not.toContain('at failOnErrors');
      expect(await engine.get('/api/v1/namespaces/default/configmaps/fine')).toBeUndefined();
      // The program registers none of the objects that exist, and they stay.
      expect(await config('settings')).toBeDefined();
    },
  );

  it('leaves the rest consistent where the server refuses one object, and continues with the next run', async () => {
    const renamed = { ...two, id: 'options' };
    // An address outside of the range of the cluster, which only its server knows.
    const refused = await engine.run('up', 'web', { ...renamed, address: '10.99.99.99' });
    expect(refused.failed).toBe(true);
    expect(refused.said).toContain('does not match the current range');
    expect(await engine.get('/api/v1/namespaces/default/configmaps/web-a')).toBeDefined();
    expect(await engine.get('/api/v1/namespaces/default/services/web')).toBeUndefined();
    expect(await config('settings')).toBeDefined();
    expect((await engine.run('up', 'web', renamed)).changes).toMatchObject({ create: 1 });
    expect(await engine.get('/api/v1/namespaces/default/services/web')).toBeDefined();
  });

  it('sees drift in a refresh', async () => {
    await engine.lab.cluster.client.request('PATCH', '/api/v1/namespaces/lab/configmaps/settings', {
      body: { data: { text: 'by hand' } },
      contentType: 'application/merge-patch+json',
    });
    const { summary } = await engine.space.stack.refresh();
    expect(summary.resourceChanges).toMatchObject({ update: 1 });
  });

  it('deletes everything', async () => {
    const { changes } = await engine.destroy();
    expect(changes?.delete).toBeGreaterThanOrEqual(8);
    expect(await engine.get('/api/v1/namespaces/lab')).toBeUndefined();
  });

  it('treats objects as the options and transforms of constructs and of the component say', async () => {
    const { changes } = await engine.run('up', 'treated');
    expect(changes).toEqual({ create: 5 });
    const changed = await engine.get('/api/v1/namespaces/default/configmaps/treated-changed');
    expect(changed).toMatchObject({
      data: { added: 'yes' },
      immutable: false,
      metadata: {
        annotations: { 'pulumi.com/deletionPropagationPolicy': 'orphan', 'pulumi.com/patchForce': 'true' },
      },
    });
    expect((await engine.get('/api/v1/namespaces/default/configmaps/treated-left'))?.immutable).toBe(false);
  });

  it('keeps objects where the component and a construct are renamed with aliases', async () => {
    const before = asObject((await engine.get('/api/v1/namespaces/default/configmaps/treated-kept'))?.metadata).uid;
    const { changes, outputs } = await engine.run('up', 'treated', {
      id: 'renamed',
      stack: { name: 'other', before: 'treated' },
    });
    expect(changes).toEqual({ same: 5 });
    expect(outputs).toEqual({ uid: before });
  });

  it('deletes no object that is protected, and leaves one that is retained', async () => {
    const refused = await engine.destroy();
    expect(refused).toMatchObject({ failed: true, said: expect.stringContaining('protected') as unknown });
    expect(await engine.get('/api/v1/namespaces/default/configmaps/treated-kept')).toBeDefined();
    await engine.unprotectAll();
    expect(await engine.destroy()).toMatchObject({ failed: false });
    expect(await engine.get('/api/v1/namespaces/default/configmaps/treated-kept')).toBeUndefined();
    expect(await engine.get('/api/v1/namespaces/default/configmaps/treated-left')).toBeDefined();
  });
});
