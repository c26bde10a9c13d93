/**
 * Kueue's own controllers for a control plane, built once from the Go module proxy.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { applyCustomResources } from '../control-plane/custom-resources';
import { isRunning, type ProcessRecord, startProcess, stopProcess, tail } from '../control-plane/process';
import { watchProcess } from '../evidence';
import { buildGoProgram, cacheFolder, hashOfSources, whyNoPrograms } from '../go-program';
import { type Lab } from '../scheduler/lab';
import { apply } from '../scheduler/install';

const FOLDER = join(__dirname, 'program');
/** Where Kueue is installed, and where it looks for the kubeconfigs of worker clusters. */
export const KUEUE_NAMESPACE = 'kueue-system';

function programPath(): string {
  return join(cacheFolder(), `kueue-${hashOfSources([FOLDER])}`, 'kueue');
}

/** What keeps this machine from running Kueue; `undefined` where nothing does. */
export function whyNoKueue(): string | undefined {
  return whyNoPrograms([programPath()], 'Kueue');
}

/** Builds the program if the cache does not have it. @returns its path */
export function buildKueue(print?: (line: string) => void): string {
  return buildGoProgram({ target: programPath(), folder: FOLDER }, print);
}

/** Kueue's definitions, controllers, scheduler, and the webhook that suspends jobs. */
export class Kueue {
  private constructor(private readonly record: ProcessRecord) {}

  /** Starts it beside the control plane, and waits until it serves its webhook. */
  static async start(lab: Lab): Promise<Kueue> {
    await applyCustomResources(
      lab.cluster.client,
      coveredDefinitions().filter(({ spec }) => asObject(spec).group === 'kueue.x-k8s.io'),
    );
    await apply(lab, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: KUEUE_NAMESPACE } }]);
    const folder = join(lab.cluster.folder, 'kueue');
    mkdirSync(folder);
    const port = await freePort();
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify(configuration(port, folder)));
    const log = join(lab.cluster.folder, 'kueue.log');
    const args = ['--kubeconfig', lab.kubeconfig, '--config', config];
    const record = startProcess('kueue', buildKueue(), args, log, folder);
    watchProcess({ name: 'kueue', log: () => readFileSync(log, 'utf8') });
    await lab.until('Kueue has started', () => {
      if (!isRunning(record)) {
        throw new Error(`Kueue ended:\n${tail(log)}`);
      }
      return Promise.resolve(readFileSync(log, 'utf8').includes('Serving webhook server'));
    });
    await apply(lab, [jobWebhook(port, readFileSync(join(folder, 'tls.crt')))]);
    return new Kueue(record);
  }

  stop(): Promise<void> {
    return stopProcess(this.record);
  }
}

function configuration(port: number, certDir: string): JsonObject {
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    namespace: KUEUE_NAMESPACE,
    health: { healthProbeBindAddress: '0' },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port, certDir },
    leaderElection: { leaderElect: false },
    integrations: { frameworks: ['batch/job'] },
  };
}

function jobWebhook(port: number, certificate: Buffer): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'kueue-mutating-webhook-configuration' },
    webhooks: [
      {
        name: 'mjob.kb.io',
        clientConfig: {
          url: `https://127.0.0.1:${port}/mutate-batch-v1-job`,
          caBundle: certificate.toString('base64'),
        },
        rules: [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** The reason of the condition, such as `QuotaReserved`, if it holds; `undefined` otherwise. */
export function holds(object: JsonObject | undefined, condition: string): boolean {
  const { conditions } = asObject(object?.status);
  return (Array.isArray(conditions) ? conditions : []).some(
    (one) => asString(asObject(one).type) === condition && asString(asObject(one).status) === 'True',
  );
}
