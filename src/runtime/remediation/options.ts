/**
 * The command line of the remediation program.
 */
import { flagsOf, UsageError, wholeNumber } from '../api/command-line';

export interface Options {
  readonly kubeconfig: string | undefined;
  /** Path of the settings. Absent: the default rules. */
  readonly config: string | undefined;
  readonly mode: 'dry-run' | 'active';
  /** Seconds between two plans. */
  readonly interval: number;
  readonly address: string;
  readonly port: number;
  /** Path of the token that Alertmanager must send. Absent: alerts are not received. */
  readonly alertTokenFile: string | undefined;
}

export const USAGE = `Acts on nodes with a problem: taints, cordons, evicts gangs, and undoes it when the problem ends.

Usage:
  gantry-remediation [flags]

Flags:
  --address string            Address to serve health, metrics, and alerts on. (default "127.0.0.1")
  --alert-token-file string   File with the bearer token that Alertmanager must send to /alerts. (default: no alerts)
  --config string             Settings as YAML or JSON. (default: the default rules)
  --help                      Print this help.
  --interval int              Seconds between two plans. (default 10)
  --kubeconfig string         Path of a kubeconfig file. (default: the service account of the pod)
  --mode string               dry-run: log what would be done. active: do it. (default "dry-run")
  --port int                  Port to serve on; 0 chooses a free port. (default 10272)`;

const OPTIONS = {
  address: { type: 'string', default: '127.0.0.1' },
  'alert-token-file': { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', default: false },
  interval: { type: 'string', default: '10' },
  kubeconfig: { type: 'string' },
  mode: { type: 'string', default: 'dry-run' },
  port: { type: 'string', default: '10272' },
} as const;

/**
 * @returns `undefined` where only help is asked for
 * @throws UsageError
 */
export function readOptions(args: readonly string[]): Options | undefined {
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
  };
}
