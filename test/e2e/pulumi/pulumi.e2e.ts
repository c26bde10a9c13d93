import { asObject, asString } from '../../../src/manifests/read';
import { type JsonObject } from '../../../src/facts/api/schema';
import { whyNoControlPlane } from '../control-plane/availability';
import { Lab } from '../scheduler/lab';
import { type Change, type ProgramName } from './programs';
import { buildPulumi, whyNoPulumi } from './pulumi-cli';
import { startProvider, type RunningProvider } from './provider';
import { type Result, runProgram } from './run-program';
import { workspace, type Workspace } from './workspace';

const describeReal = (whyNoPulumi() ?? whyNoControlPlane()) === undefined ? describe : describe.skip;

describeReal('GantryStack in the real engine', () => {
  let lab: Lab;
  let provider: RunningProvider;
  let space: Workspace;

  beforeAll(async () => {
    buildPulumi();
    lab = await Lab.start({ extra: ['kube-controller-manager'], customResources: false });
    provider = await startProvider(lab.cluster.client);
    space = await workspace('gantry', provider.port);
  });
  afterAll(async () => {
    space.remove();
    provider.stop();
    lab.cluster.client.close();
    await lab.stop();
  });

  const config = (name: string): Promise<JsonObject | undefined> =>
    lab.get(`/api/v1/namespaces/lab/configmaps/${name}`);
  const run = (command: 'preview' | 'up', program: ProgramName, change: Change = {}): Promise<Result> =>
    runProgram({ folder: space.folder, project: 'gantry', port: provider.port }, command, program, change);

  const two: Change = { text: 'two' };

  it('previews without touching the cluster', async () => {
    expect(await run('preview', 'lab')).toMatchObject({ changes: { create: 8 } });
    expect(await lab.get('/api/v1/namespaces/lab')).toBeUndefined();
  });

  it('creates everything in an order that the server takes, with outputs of the stack in other objects', async () => {
    expect(await run('up', 'lab')).toMatchObject({ changes: { create: 8 }, outputs: { namespace: 'lab' } });
    const uid = asString(asObject((await lab.get('/api/v1/namespaces/lab'))?.metadata).uid);
    expect(asObject((await config('late'))?.data).uid).toBe(uid);
    expect(await lab.get('/apis/lab.example.com/v1/namespaces/lab/widgets/w')).toBeDefined();
  });

  it('keeps secrets encrypted in the state file', () => {
    const state = space.stateFile();
    expect(state).toContain('kubernetes:core/v1:Secret');
    expect(state).not.toContain('a-secret-of-the-test');
  });

  it('changes nothing in a second run', async () => {
    expect((await run('up', 'lab')).changes).toEqual({ same: 8 });
  });

  it('changes what changed', async () => {
    expect((await run('up', 'lab', two)).changes).toEqual({ same: 7, update: 1 });
    expect(asObject((await config('settings'))?.data).text).toBe('two');
  });

  it('keeps the object of a construct that was renamed', async () => {
    const before = asObject((await config('settings'))?.metadata).uid;
    const { changes } = await run('up', 'lab', { ...two, id: 'options', from: 'lab/settings' });
    expect(changes).toEqual({ same: 8 });
    expect(asObject((await config('settings'))?.metadata).uid).toBe(before);
  });

  it.each(['preview', 'up'] as const)(
    'stops at a failing check before anything is created, in %s, with the URN',
    async (command) => {
      const { failed, said } = await run(command, 'rejected');
      expect(failed).toBe(true);
      expect(said).toContain(
        'urn:pulumi:test::gantry::gantry:index:GantryStack$kubernetes:core/v1:ConfigMap::more/bad',
      );
      expect(said).toContain('the name "Bad_Name" must consist of DNS labels');
      expect(said).not.toContain('at failOnErrors');
      expect(await lab.get('/api/v1/namespaces/default/configmaps/fine')).toBeUndefined();
      // The program registers none of the objects that exist, and they stay.
      expect(await config('settings')).toBeDefined();
    },
  );

  it('leaves the rest consistent where the server refuses one object, and continues with the next run', async () => {
    const renamed = { ...two, id: 'options' };
    // An address outside of the range of the cluster, which only its server knows.
    const refused = await run('up', 'web', { ...renamed, address: '10.99.99.99' });
    expect(refused.failed).toBe(true);
    expect(refused.said).toContain('does not match the current range');
    expect(await lab.get('/api/v1/namespaces/default/configmaps/web-a')).toBeDefined();
    expect(await lab.get('/api/v1/namespaces/default/services/web')).toBeUndefined();
    expect(await config('settings')).toBeDefined();
    expect((await run('up', 'web', renamed)).changes).toMatchObject({ create: 1 });
    expect(await lab.get('/api/v1/namespaces/default/services/web')).toBeDefined();
  });

  it('sees drift in a refresh', async () => {
    await lab.cluster.client.request('PATCH', '/api/v1/namespaces/lab/configmaps/settings', {
      body: { data: { text: 'by hand' } },
      contentType: 'application/merge-patch+json',
    });
    const { summary } = await space.stack.refresh();
    expect(summary.resourceChanges).toMatchObject({ update: 1 });
  });

  it('deletes everything', async () => {
    const { summary } = await space.stack.destroy();
    expect(summary.resourceChanges?.delete).toBeGreaterThanOrEqual(8);
    expect(await lab.get('/api/v1/namespaces/lab')).toBeUndefined();
  });
});
