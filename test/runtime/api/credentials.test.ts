/** @jest-environment node */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { admissionFrom, admissionOfContext } from '../../../src/runtime/api/credentials';

/** Jest cannot load the Kubernetes client, which is an ES module. This reads what the tests write; the end-to-end tests use the client. */
class KubeConfig {
  private text: Partial<Record<string, readonly { readonly name: string; readonly [member: string]: unknown }[]>> = {};
  private current = '';

  loadFromFile(path: string): void {
    const { 'current-context': current = 'loaded-context', ...text } = parse(readFileSync(path, 'utf8')) as Record<
      string,
      unknown
    > & { 'current-context'?: string };
    this.text = text as typeof this.text;
    this.current = current;
  }

  loadFromDefault(): void {
    this.loadFromFile(process.env.KUBECONFIG ?? '');
  }

  loadFromCluster(): void {
    this.loadFromFile(process.env.IN_CLUSTER ?? '');
  }

  getContexts(): readonly { readonly name: string }[] {
    return this.text.contexts ?? [{ name: 'loaded-context' }];
  }

  getContextObject(name: string): object | undefined {
    const found = this.getContexts().find((context) => context.name === name) as { context?: object } | undefined;
    return found?.context;
  }

  getCurrentContext(): string {
    return this.current;
  }

  setCurrentContext(name: string): void {
    this.current = name;
  }

  getCurrentCluster(): { server?: string; proxyUrl?: string } | undefined {
    return this.found('cluster') as { server?: string; proxyUrl?: string } | undefined;
  }

  applyToHTTPSOptions(options: RequestOptions): Promise<void> {
    const { token, auth } = this.found('user') as { token?: string; auth?: string };
    const isProxied = this.getCurrentCluster()?.proxyUrl !== undefined;
    Object.assign(options, {
      servername: 'inner',
      headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), 'X-Many': ['a', 'b'] },
      ...(auth !== undefined && { auth }),
      // The client always sets an agent, one of its own without a proxy.
      agent: { isProxied },
    });
    return Promise.resolve();
  }

  private found(kind: 'cluster' | 'user'): unknown {
    const context = this.getContexts().find(({ name }) => name === this.current) as
      | { context?: Record<string, string> }
      | undefined;
    return this.text[`${kind}s`]?.find(({ name }) => name === context?.context?.[kind])?.[kind];
  }
}

jest.mock('@kubernetes/client-node/dist/config.js', () => ({
  get KubeConfig() {
    return KubeConfig;
  },
}));

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: first
clusters:
  - { name: one, cluster: { server: 'https://one.example:6443/' } }
  - { name: two, cluster: { server: 'https://two.example', proxyUrl: 'http://proxy.example:3128' } }
users:
  - { name: token, user: { token: secret } }
  - { name: password, user: { auth: 'me:pass' } }
contexts:
  - { name: first, context: { cluster: one, user: token } }
  - { name: second, context: { cluster: two, user: password, namespace: research } }
`;

describe('the credentials of a kubeconfig', () => {
  let folder: string;
  let file: string;
  const environment = { ...process.env };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-kubeconfig-'));
    file = write('config', KUBECONFIG);
    delete process.env.KUBERNETES_SERVICE_HOST;
    process.env.KUBECONFIG = file;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    process.env = { ...environment };
  });

  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const proxied = (): string =>
    write('proxied', KUBECONFIG.replace('current-context: first', 'current-context: second'));

  it.each([
    ['that is named', () => admissionFrom(file)],
    ['of the environment', () => admissionFrom(undefined)],
  ])('%s are its current context, without a slash behind the address', async (_, load) => {
    expect(await (await load())()).toEqual({
      url: 'https://one.example:6443',
      headers: { authorization: 'Bearer secret' },
      connection: { servername: 'inner' },
    });
  });

  it('of a pod are those of its service account', async () => {
    process.env.KUBERNETES_SERVICE_HOST = '10.0.0.1';
    process.env.IN_CLUSTER = file;
    process.env.KUBECONFIG = join(folder, 'none');
    expect((await (await admissionFrom(undefined))()).url).toBe('https://one.example:6443');
  });

  it('are not taken by the scheduler through a proxy', async () => {
    await expect(admissionFrom(proxied())).rejects.toThrow(
      'The kubeconfig sets proxy-url (http://proxy.example:3128), which the scheduler does not support. Remove proxy-url.',
    );
  });

  it('must name an API server', async () => {
    await expect(admissionFrom(write('empty', KUBECONFIG.replace('first\n', 'none\n')))).rejects.toThrow(
      'No API server is configured.',
    );
  });

  it.each([
    ['the current one', {}, 'first', 'https://one.example:6443', false],
    ['the one that is named', { context: 'second' }, 'second', 'https://two.example', true],
  ])('of a context: %s', async (_, options, name, url, isProxied) => {
    for (const kubeconfig of [file, undefined]) {
      const { context, namespace, admission } = await admissionOfContext({
        ...options,
        ...(kubeconfig && { kubeconfig }),
      });
      const { proxy, ...found } = await admission();
      expect([context, found.url, proxy !== undefined]).toEqual([name, url, isProxied]);
      expect(namespace).toBe(name === 'second' ? 'research' : 'default');
    }
  });

  it('of a user with a password are Basic', async () => {
    const { admission } = await admissionOfContext({ context: 'second' });
    const { headers } = await admission();
    expect(headers.authorization).toBe(`Basic ${Buffer.from('me:pass').toString('base64')}`);
  });

  it('name the file and the contexts where something is wrong', async () => {
    await expect(admissionOfContext({ context: 'third' })).rejects.toThrow(
      `kubeconfig ${file}: context "third" not found; contexts are first, second`,
    );
    const bad = write('bad', 'clusters: [');
    await expect(admissionOfContext({ kubeconfig: bad })).rejects.toThrow(`kubeconfig ${bad} cannot be read: `);
    await expect(admissionFrom(bad)).rejects.toThrow(`kubeconfig ${bad} cannot be read: `);
    const empty = write('none', '{}');
    await expect(admissionOfContext({ kubeconfig: empty })).rejects.toThrow(
      `no cluster is configured: ${empty} has no current context`,
    );
    await expect(admissionOfContext({ kubeconfig: empty, context: 'first' })).rejects.toThrow('contexts are (none)');
  });
});
