/**
 * The bundled remediation program in a process of its own, as the account that the construct makes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Duration } from 'cdk8s';
import { REMEDIATION_BUNDLE, writeBundle } from '../../../projen/runtime/bundle';
import { type JsonValue } from '../../../src/facts/api/schema';
import { Remediation, type RemediationProps } from '../../../src/constructs/remediation';
import { apply, rendered } from '../scheduler/install';
import { type Lab } from '../scheduler/lab';

export const NAMESPACE = 'gantry-remediation';
export const NAME = 'gantry-remediation';
export const ALERT_TOKEN = 'a-token-of-the-test';

/** Every action, so that the account has every right. */
export const PROPS: RemediationProps = {
  mode: 'active',
  rules: [
    { name: 'bad', cause: { condition: 'Bad' }, actions: ['taint', 'cordon', 'evict'], grace: Duration.seconds(0) },
    { name: 'slow', cause: { condition: 'Slow' }, actions: ['move'] },
    { name: 'missing', cause: { condition: 'Missing' }, actions: ['restart-device-plugin'] },
    { name: 'fire', cause: { alert: 'Fire' }, actions: ['request-repair'] },
  ],
  budget: { maxUnavailablePercent: 100, maxPerRack: 1 },
  healthyTime: Duration.seconds(1),
  webhook: { tokenSecret: 'alert-token' },
  monitoring: false,
};

/** The same as the file that the program reads. */
export const RULES = {
  healthySeconds: 1,
  maxUnavailablePercent: 100,
  maxPerRack: 1,
  rules: [
    { name: 'bad', cause: { condition: 'Bad' }, actions: ['taint', 'cordon', 'evict'], graceSeconds: 0 },
    { name: 'slow', cause: { condition: 'Slow' }, actions: ['move'] },
    { name: 'missing', cause: { condition: 'Missing' }, actions: ['restart-device-plugin'] },
    { name: 'fire', cause: { alert: 'Fire' }, actions: ['request-repair'] },
  ],
};

/** The objects of the construct, without the pods: the program runs in processes of the test. */
export async function install(lab: Lab, props: RemediationProps = PROPS): Promise<void> {
  await writeBundle(REMEDIATION_BUNDLE);
  await apply(
    lab,
    rendered((chart) => new Remediation(chart, 'remediation', props)),
  );
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

export interface ProcessOptions {
  readonly kubeconfig?: string;
  readonly mode?: 'dry-run' | 'active';
  readonly leaseSeconds?: number;
  /** @default RULES */
  readonly settings?: object;
}

export class RemediationProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly log: LogLine[],
    private readonly folder: string,
  ) {}

  /** Resolves when it serves. */
  static async start({
    kubeconfig = '',
    mode = 'active',
    leaseSeconds = 5,
    settings = RULES,
  }: ProcessOptions): Promise<RemediationProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-remediation-'));
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
    writeFileSync(join(folder, 'token'), ALERT_TOKEN, { mode: 0o600 });
    const flags = [
      `--mode=${mode}`,
      `--kubeconfig=${kubeconfig}`,
      `--config=${join(folder, 'settings.json')}`,
      `--alert-token-file=${join(folder, 'token')}`,
      `--namespace=${NAMESPACE}`,
      `--lease-seconds=${leaseSeconds}`,
      '--interval=1',
      '--port=0',
    ];
    const program = resolve(__dirname, '../../..', REMEDIATION_BUNDLE.output);
    const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    const log: LogLine[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => log.push(JSON.parse(line) as LogLine));
    const started = new RemediationProcess(child, log, folder);
    for (const deadline = Date.now() + 120_000; !log.some(({ msg }) => msg === 'started');) {
      if (Date.now() > deadline || child.exitCode !== null) {
        throw new Error(`The program did not start: ${JSON.stringify(log)}`);
      }
      await new Promise((done) => setTimeout(done, 20));
    }
    return started;
  }

  private get url(): string {
    return `http://127.0.0.1:${String(this.log.find(({ msg }) => msg === 'started')?.port)}`;
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.url}${path}`);
    return { status: response.status, text: await response.text() };
  }

  async ready(): Promise<void> {
    for (let tries = 0; (await this.get('/readyz')).status !== 200; tries++) {
      if (tries > 2400) {
        throw new Error('The program is not ready.');
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async alert(body: JsonValue, token = ALERT_TOKEN): Promise<number> {
    const response = await fetch(`${this.url}/alerts`, {
      method: 'POST',
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return response.status;
  }

  /** As when its node loses power. */
  kill(): void {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
