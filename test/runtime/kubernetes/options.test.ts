/**
 * The command line of the scheduler program.
 */
import { UsageError } from '../../../src/runtime/api/command-line';
import { type Options, readOptions, USAGE } from '../../../src/runtime/kubernetes/options';

const of = (...args: readonly string[]): Options | undefined => readOptions(args, { POD_NAME: 'pod-1' });

test('without flags, everything has the default that the help states', () => {
  expect(of()).toEqual({
    config: undefined,
    kubeconfig: undefined,
    address: '127.0.0.1',
    port: 10270,
    authentication: 'cluster',
    leaderElection: true,
    leaseNamespace: 'kube-system',
    leaseName: 'gantry-scheduler',
    leaseSeconds: 15,
    identity: expect.stringMatching(/^pod-1_[0-9a-f]{8}$/) as string,
    clusterName: 'cluster',
  });
  for (const text of ['127.0.0.1', '10270', '"cluster"', 'gantry-scheduler', 'default 15', 'kube-system']) {
    expect(USAGE).toContain(text);
  }
});

test.each<[readonly string[], Partial<Options>]>([
  [['--config', 'c.yaml'], { config: 'c.yaml' }],
  [['--kubeconfig', 'k'], { kubeconfig: 'k' }],
  [['--address', '::'], { address: '::' }],
  [['--port', '0'], { port: 0 }],
  [['--port', '65535'], { port: 65_535 }],
  [['--authentication', 'cluster'], { authentication: 'cluster' }],
  [['--authentication', 'always'], { authentication: 'always' }],
  [['--authentication', 'off'], { authentication: 'off' }],
  [['--no-leader-election'], { leaderElection: false }],
  [['--lease-namespace', 'n'], { leaseNamespace: 'n' }],
  [['--lease-name', 'l'], { leaseName: 'l' }],
  [['--lease-seconds', '3'], { leaseSeconds: 3 }],
  [['--lease-seconds', '3600'], { leaseSeconds: 3600 }],
  [['--identity', 'me'], { identity: 'me' }],
  [['--cluster-name', 'prod'], { clusterName: 'prod' }],
])('%j sets %j alone', (args, expected) => {
  expect(of(...args)).toEqual({ ...of(), identity: expect.any(String) as string, ...expected });
});

test('the namespace of the pod is the default for the lease', () => {
  expect(readOptions([], { POD_NAMESPACE: 'gantry' })!.leaseNamespace).toBe('gantry');
  expect(readOptions(['--lease-namespace', 'n'], { POD_NAMESPACE: 'gantry' })!.leaseNamespace).toBe('n');
});

test('two replicas on one host have two identities', () => {
  expect(of()!.identity).not.toBe(of()!.identity);
});

test('help is no options', () => {
  expect(of('--help')).toBeUndefined();
});

test.each([
  [['--port=-1'], '--port is -1; it must be a whole number from 0 to 65535.'],
  [['--port', '65536'], '--port is 65536; it must be a whole number from 0 to 65535.'],
  [['--port', '1.5'], '--port is 1.5; it must be a whole number from 0 to 65535.'],
  [['--lease-seconds', '2'], '--lease-seconds is 2; it must be a whole number from 3 to 3600.'],
  [['--lease-seconds', '3601'], '--lease-seconds is 3601; it must be a whole number from 3 to 3600.'],
  [['--authentication', 'none'], '--authentication is none; it must be cluster, always, or off.'],
  [['--prot', '1'], USAGE],
  [['file'], USAGE],
])('%j is refused', (args, message) => {
  const read = (): unknown => of(...args);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});
