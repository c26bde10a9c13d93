/**
 * The program's command line: what cannot change while it runs. The configuration file sets everything else.
 */
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface Options {
  readonly config: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly address: string;
  readonly port: number;
  /**
   * Who may look at the page and the numbers. `cluster`: the API server says, except over loopback, where `kubectl port-forward` comes
   * from; `always`: over loopback too, for a proxy beside the program in its pod; `off`: everybody.
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

/** The command line makes no sense. The message says what would. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `usage: gantry-scheduler [options]
  --config FILE           configuration, read again when it changes (default: built-in defaults)
  --kubeconfig FILE       how to reach the API server (default: the pod's service account)
  --address ADDRESS       where to serve health, metrics and the page (default: 127.0.0.1)
  --port PORT             0 for any (default: 10270)
  --authentication WAY    cluster: the API server says who may look, except over loopback; always: over loopback too;
                          off: everybody who reaches the port (default: cluster)
  --no-leader-election    this is the only replica
  --lease-namespace NAME  (default: $POD_NAMESPACE, else kube-system)
  --lease-name NAME       (default: gantry-scheduler)
  --lease-seconds N       seconds without renewal after which another replica takes over (default: 15)
  --identity NAME         of this replica (default: host name and a random part)
  --cluster-name NAME     for the page (default: cluster)`;

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
  const values = parse(args);
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
    port: whole(values.port, '--port', 0, 65_535),
    authentication,
    leaderElection: !values['no-leader-election'],
    leaseNamespace: values['lease-namespace'] ?? env.POD_NAMESPACE ?? 'kube-system',
    leaseName: values['lease-name'],
    leaseSeconds: whole(values['lease-seconds'], '--lease-seconds', 3, 3600),
    identity: values.identity ?? `${env.POD_NAME ?? hostname()}_${randomBytes(4).toString('hex')}`,
    clusterName: values['cluster-name'],
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'] {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function whole(text: string, name: string, least: number, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least || number > most) {
    throw new UsageError(`${name} is ${text}; it must be a whole number from ${least} to ${most}.`);
  }
  return number;
}
