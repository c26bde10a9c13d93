/**
 * The address of the API server and the credentials: a kubeconfig file, or the service account of the scheduler's pod.
 *
 * The Kubernetes client is asked for nothing else. Its request functions make a TLS connection for each request, which the many small
 * requests of a scheduler cannot afford; see `client.ts`.
 */
import { type Agent } from 'node:http';
import { type RequestOptions } from 'node:https';

/** What a connection and its requests need. */
export interface Admission {
  /** Without a slash at its end. */
  readonly url: string;
  readonly connection: Pick<
    RequestOptions,
    'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'
  >;
  readonly headers: Readonly<Record<string, string>>;
  /** What connections go through instead of agents of the client: a proxy. @default - none */
  readonly proxy?: Agent;
}

/** Asked again from time to time, since tokens are renewed. */
export type AdmissionSource = () => Promise<Admission>;

/**
 * @param kubeconfig a file; without one the service account, and outside of a pod the kubeconfig that `kubectl` would take
 * @throws Error where there is nothing to go by, the file cannot be read, or it names a proxy
 */
export async function admissionFrom(kubeconfig: string | undefined): Promise<AdmissionSource> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  if (kubeconfig !== undefined) {
    loaded(kubeconfig, () => config.loadFromFile(kubeconfig));
  } else if (process.env.KUBERNETES_SERVICE_HOST !== undefined) {
    config.loadFromCluster();
  } else {
    loaded(process.env.KUBECONFIG ?? '~/.kube/config', () => config.loadFromDefault());
  }
  const { server, proxyUrl } = config.getCurrentCluster() ?? {};
  if (server === undefined) {
    throw new Error('No API server is configured. Pass --kubeconfig FILE, or run in a pod with a service account.');
  }
  if (proxyUrl !== undefined) {
    throw new Error(
      `The kubeconfig sets proxy-url (${proxyUrl}), which the scheduler does not support. Remove proxy-url.`,
    );
  }
  return sourceOf(config, server, false);
}

/** A context of a kubeconfig, as `kubectl` would take it. */
export interface ContextAdmission {
  /** Name of the context. */
  readonly context: string;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  readonly admission: AdmissionSource;
}

/** Name of the context that the client makes up where there is no kubeconfig. */
const NO_KUBECONFIG = 'loaded-context';

/**
 * Credentials of a person or a CI job: exec plugins, certificates, tokens, and HTTP proxies as `kubectl` takes them.
 *
 * @param context of the kubeconfig; without one the current context
 * @throws Error where there is no such context, or the file cannot be read
 */
export async function admissionOfContext({
  kubeconfig,
  context,
}: {
  readonly kubeconfig?: string;
  readonly context?: string;
}): Promise<ContextAdmission> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  const file = kubeconfig ?? process.env.KUBECONFIG ?? '~/.kube/config';
  loaded(file, () => (kubeconfig === undefined ? config.loadFromDefault() : config.loadFromFile(kubeconfig)));
  if (context !== undefined) {
    const names = config
      .getContexts()
      .map(({ name }) => name)
      .filter((name) => name !== NO_KUBECONFIG);
    if (!names.includes(context)) {
      throw new Error(
        `kubeconfig ${file}: context "${context}" not found; contexts are ${names.join(', ') || '(none)'}`,
      );
    }
    config.setCurrentContext(context);
  }
  const { server } = config.getCurrentCluster() ?? {};
  if (server === undefined || config.getCurrentContext() === NO_KUBECONFIG) {
    throw new Error(
      `no cluster is configured: ${file} has no current context; set KUBECONFIG, or name a context with live:CONTEXT`,
    );
  }
  const current = config.getCurrentContext();
  const namespace = config.getContextObject(current)?.namespace ?? 'default';
  return { context: current, namespace, admission: sourceOf(config, server, true) };
}

/** What is used of the client's kubeconfig. */
interface Config {
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
  getCurrentCluster(): { readonly proxyUrl?: string } | null;
}

function sourceOf(config: Config, server: string, throughProxy: boolean): AdmissionSource {
  return async () => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername, auth, agent } = options;
    const headers = Object.fromEntries(
      Object.entries(options.headers ?? {}).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
      ),
    );
    if (typeof auth === 'string') {
      headers.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
    }
    const isProxied = throughProxy && config.getCurrentCluster()?.proxyUrl !== undefined;
    return {
      url: server.replace(/\/+$/, ''),
      connection: { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername },
      headers,
      ...(isProxied && typeof agent === 'object' && { proxy: agent }),
    };
  };
}

/** Names the file in what the client's parser throws, which quotes lines of it alone. */
function loaded(file: string, load: () => void): void {
  try {
    load();
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new Error(`kubeconfig ${file} cannot be read: ${reason}`, { cause: error });
  }
}
