/**
 * The address of the API server and the credentials: a kubeconfig file, or the service account of the scheduler's pod.
 *
 * The Kubernetes client is asked for nothing else. Its request functions make a TLS connection for each request, which the many small
 * requests of a scheduler cannot afford; see `client.ts`.
 */
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
  return async () => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername, auth } = options;
    const headers = Object.fromEntries(
      Object.entries(options.headers ?? {}).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
      ),
    );
    if (typeof auth === 'string') {
      headers.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
    }
    return {
      url: server.replace(/\/+$/, ''),
      connection: { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername },
      headers,
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
