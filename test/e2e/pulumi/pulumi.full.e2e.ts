import * as pulumi from '@pulumi/pulumi';
import { type PulumiFn } from '@pulumi/pulumi/automation';
import { CustomResourceDefinition } from '../../../src/facts/api/types/apiextensions.k8s.io/v1';
import { ConfigMap, Namespace, Secret, Service } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack, PulumiOptions } from '../../../src/interfaces/pulumi';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { whyNoControlPlane } from '../control-plane/availability';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Lab } from '../scheduler/lab';
import { buildPulumi, whyNoPulumi } from './pulumi-cli';
import { startProvider, type RunningProvider } from './provider';
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
  const up = (program: PulumiFn): ReturnType<typeof space.stack.up> => {
    space.use(program);
    return space.stack.up();
  };
  const program =
    (change: { readonly text?: string; readonly id?: string; readonly from?: string } = {}): PulumiFn =>
    () => {
      const stack = new GantryStack('lab', (chart, built) => {
        const namespace = new Resource(chart, 'ns', Namespace, { metadata: { name: 'lab' } });
        new Resource(chart, 'key', Secret, {
          metadata: { name: 'key', namespace: 'lab' },
          stringData: { token: pulumi.secret('a-secret-of-the-test') },
        });
        const settings = new Resource(chart, change.id ?? 'settings', ConfigMap, {
          metadata: { name: 'settings', namespace: 'lab' },
          data: { text: pulumi.output(change.text ?? 'one') },
        });
        if (change.from !== undefined) {
          PulumiOptions.of(settings).set({ renamedFrom: change.from });
        }
        new Resource(chart, 'late', ConfigMap, {
          metadata: { name: 'late', namespace: 'lab' },
          data: { uid: built.get(namespace).metadata.uid },
        });
        new Resource(
          chart,
          'widget',
          { apiVersion: 'lab.example.com/v1', kind: 'Widget' },
          {
            metadata: { name: 'w', namespace: 'lab' },
          },
        );
        new Resource(chart, 'crd', CustomResourceDefinition, {
          metadata: { name: 'widgets.lab.example.com' },
          spec: {
            group: 'lab.example.com',
            scope: 'Namespaced',
            names: { kind: 'Widget', plural: 'widgets' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        });
      });
      return Promise.resolve({ namespace: stack.nameOf(stack.app.node.findChild('lab').node.findChild('ns')) });
    };

  it('previews without touching the cluster', async () => {
    space.use(program());
    const { changeSummary } = await space.stack.preview();
    expect(changeSummary).toEqual({ create: 8 });
    expect(await lab.get('/api/v1/namespaces/lab')).toBeUndefined();
  });

  it('creates everything in an order that the server takes, with outputs of the stack in other objects', async () => {
    const { outputs, summary } = await up(program());
    expect(summary.resourceChanges).toEqual({ create: 8 });
    expect(outputs.namespace?.value).toBe('lab');
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
    const { summary } = await up(program());
    expect(summary.resourceChanges).toEqual({ same: 8 });
  });

  it('changes what changed', async () => {
    const { summary } = await up(program({ text: 'two' }));
    expect(summary.resourceChanges).toEqual({ same: 7, update: 1 });
    expect(asObject((await config('settings'))?.data).text).toBe('two');
  });

  it('keeps the object of a construct that was renamed', async () => {
    const before = asObject((await config('settings'))?.metadata).uid;
    const { summary } = await up(program({ text: 'two', id: 'options', from: 'lab/settings' }));
    expect(summary.resourceChanges).toEqual({ same: 8 });
    expect(asObject((await config('settings'))?.metadata).uid).toBe(before);
  });

  it.each(['preview', 'up'])(
    'stops at a failing check before anything is created, in %s, with the URN',
    async (command) => {
      const said = await failing(space.folder, provider.port, command);
      expect(said).toContain(
        'urn:pulumi:test::gantry::gantry:index:GantryStack$kubernetes:core/v1:ConfigMap::more/bad',
      );
      expect(said).toContain("the name 'Bad_Name' must consist of DNS labels");
      expect(said).not.toContain('at failOnErrors');
      expect(await lab.get('/api/v1/namespaces/default/configmaps/fine')).toBeUndefined();
      // The program registers none of the objects that exist, and they stay.
      expect(await config('settings')).toBeDefined();
    },
  );

  it('leaves the rest consistent where the server refuses one object, and continues with the next run', async () => {
    const services =
      (address: string): PulumiFn =>
      () => {
        new GantryStack('web', (chart) => {
          new Resource(chart, 'a', ConfigMap, { metadata: { name: 'web-a', namespace: 'default' } });
          new Resource(chart, 'svc', Service, {
            metadata: { name: 'web', namespace: 'default' },
            // An address outside of the range of the cluster, which only its server knows.
            spec: { ports: [{ port: 80 }], clusterIP: pulumi.output(address) },
          });
        });
        return program({ text: 'two', id: 'options' })();
      };
    await expect(up(services('10.99.99.99'))).rejects.toThrow('does not match the current range');
    expect(await lab.get('/api/v1/namespaces/default/configmaps/web-a')).toBeDefined();
    expect(await lab.get('/api/v1/namespaces/default/services/web')).toBeUndefined();
    const { summary } = await up(services('None'));
    expect(summary.resourceChanges).toMatchObject({ create: 1 });
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

async function failing(folder: string, port: number, command: string): Promise<string> {
  const script = join(__dirname, 'failing-program.ts');
  const args = ['--require', require.resolve('tsx/cjs'), script, folder, String(port), command];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  return stdout;
}
