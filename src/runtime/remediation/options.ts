/**
 * The command line of the remediation program.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { flagsOf, UsageError, wholeNumber } from '../api/command-line';

export interface Options {
  readonly kubeconfig: string | undefined;
  /** Path of the settings. Absent: the default rules. */
  readonly config: string | undefined;
  readonly mode: 'dry-run' | 'active';
  /** Seconds between two plans at most. */
  readonly interval: number;
  readonly address: string;
  readonly port: number;
  /** Path of the token that Alertmanager must send. Absent: alerts are not received. */
  readonly alertTokenFile: string | undefined;
  /** Off in a dry run. */
  readonly leaderElection: boolean;
  /** Of the lease, and of the ConfigMap of alerts. */
  readonly namespace: string;
  /** Of the lease. */
  readonly leaseName: string;
  readonly leaseSeconds: number;
  /** ConfigMap of the alerts that fire. */
  readonly alertsName: string;
  readonly identity: string;
}

export const USAGE = `Acts on nodes with a problem: taints, cordons, evicts gangs, and undoes it when the problem ends.

Usage:
  gantry-remediation [flags]

Flags:
  --address string            Address to serve health, metrics, the page, and alerts on. (default "127.0.0.1")
  --alert-token-file string   File with the bearer token that Alertmanager must send to /alerts. (default: no alerts)
  --alerts-name string        ConfigMap that keeps the alerts that fire. (default "gantry-remediation-alerts")
  --config string             Settings as YAML or JSON. (default: the default rules)
  --help                      Print this help.
  --identity string           Name of this replica in the lease. (default: host name and a random suffix)
  --interval int              Seconds between two plans at most. (default 10)
  --kubeconfig string         Path of a kubeconfig file. (default: the service account of the pod)
  --lease-name string         Name of the lease for leader election. (default "gantry-remediation")
  --lease-seconds int         Seconds without renewal after which another replica takes over. (default 15)
  --mode string               dry-run: show what would be done. active: do it. (default "dry-run")
  --namespace string          Namespace of the lease and of the ConfigMap. (default $POD_NAMESPACE, or "kube-system")
  --no-leader-election        Do not elect a leader, because this is the only replica.
  --port int                  Port to serve on; 0 chooses a free port. (default 10272)`;

const OPTIONS = {
  address: { type: 'string', default: '127.0.0.1' },
  'alert-token-file': { type: 'string' },
  'alerts-name': { type: 'string', default: 'gantry-remediation-alerts' },
  config: { type: 'string' },
  help: { type: 'boolean', default: false },
  identity: { type: 'string' },
  interval: { type: 'string', default: '10' },
  kubeconfig: { type: 'string' },
  'lease-name': { type: 'string', default: 'gantry-remediation' },
  'lease-seconds': { type: 'string', default: '15' },
  mode: { type: 'string', default: 'dry-run' },
  namespace: { type: 'string' },
  'no-leader-election': { type: 'boolean', default: false },
  port: { type: 'string', default: '10272' },
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
  const { mode } = values;
  if (mode !== 'dry-run' && mode !== 'active') {
    throw new UsageError(`--mode is ${mode}; it must be dry-run or active.`);
  }
  return {
    kubeconfig: values.kubeconfig,
    config: values.config,
    mode,
    interval: wholeNumber(values.interval, '--interval', 1, 3600),
    address: values.address,
    port: wholeNumber(values.port, '--port', 0, 65_535),
    alertTokenFile: values['alert-token-file'],
    leaderElection: mode === 'active' && !values['no-leader-election'],
    namespace: values.namespace ?? env.POD_NAMESPACE ?? 'kube-system',
    leaseName: values['lease-name'],
    leaseSeconds: wholeNumber(values['lease-seconds'], '--lease-seconds', 3, 3600),
    alertsName: values['alerts-name'],
    identity: values.identity ?? `${env.POD_NAME ?? hostname()}_${randomBytes(4).toString('hex')}`,
  };
}
