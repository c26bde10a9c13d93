/**
 * The program's command line: what cannot change while it runs. The configuration file sets everything else.
 */
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { flagsOf, UsageError, wholeNumber } from '../api/command-line';

export interface Options {
  readonly config: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly address: string;
  readonly port: number;
  /**
   * Who may look at the page and the numbers. `cluster`: the API server says, except over loopback, where `kubectl port-forward` comes
   * from; `always`: over loopback too, for a proxy beside the program in its pod; `off`: no authorization.
   */
  readonly authentication: 'cluster' | 'always' | 'off';
  readonly leaderElection: boolean;
  readonly leaseNamespace: string;
  readonly leaseName: string;
  readonly leaseSeconds: number;
  readonly identity: string;
  /** What the cluster is called on the page. */
  readonly clusterName: string;
}

export const USAGE = `Schedules gangs of pods in a Kubernetes cluster.

Usage:
  gantry-scheduler [flags]

Flags:
  --address string          Address to serve health, metrics, and the web page on. (default "127.0.0.1")
  --authentication string   Authorization of clients of the web page and the metrics, one of: cluster (ask the API server,
                            except over loopback), always (ask it over loopback too), off (none). (default "cluster")
  --cluster-name string     Name of the cluster on the web page. (default "cluster")
  --config string           Path of the configuration file, which is reloaded when it changes. (default: built-in defaults)
  --help                    Print this help.
  --identity string         Name of this replica in the lease. (default: host name and a random suffix)
  --kubeconfig string       Path of a kubeconfig file. (default: the service account of the pod)
  --lease-name string       Name of the lease for leader election. (default "gantry-scheduler")
  --lease-namespace string  Namespace of the lease. (default $POD_NAMESPACE, or "kube-system")
  --lease-seconds int       Seconds without renewal after which another replica takes over. (default 15)
  --no-leader-election      Do not elect a leader, because this is the only replica.
  --port int                Port to serve on; 0 chooses a free port. (default 10270)`;

const OPTIONS = {
  config: { type: 'string' },
  kubeconfig: { type: 'string' },
  address: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '10270' },
  authentication: { type: 'string' },
  'no-leader-election': { type: 'boolean', default: false },
  'lease-namespace': { type: 'string' },
  'lease-name': { type: 'string', default: 'gantry-scheduler' },
  'lease-seconds': { type: 'string', default: '15' },
  identity: { type: 'string' },
  'cluster-name': { type: 'string', default: 'cluster' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * @returns `undefined` where only help is asked for
 * @throws UsageError
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | undefined {
  const values = flagsOf(args, OPTIONS, USAGE);
  if (values.help) {
    return undefined;
  }
  const { authentication = 'cluster' } = values;
  if (authentication !== 'cluster' && authentication !== 'always' && authentication !== 'off') {
    throw new UsageError(`--authentication is ${authentication}; it must be cluster, always, or off.`);
  }
  return {
    config: values.config,
    kubeconfig: values.kubeconfig,
    address: values.address,
    port: wholeNumber(values.port, '--port', 0, 65_535),
    authentication,
    leaderElection: !values['no-leader-election'],
    leaseNamespace: values['lease-namespace'] ?? env.POD_NAMESPACE ?? 'kube-system',
    leaseName: values['lease-name'],
    leaseSeconds: wholeNumber(values['lease-seconds'], '--lease-seconds', 3, 3600),
    identity: values.identity ?? `${env.POD_NAME ?? hostname()}_${randomBytes(4).toString('hex')}`,
    clusterName: values['cluster-name'],
  };
}
