/**
 * The remediation program against an API server in this process.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { readRecord, type RemediationRecord } from '../../../src/planning/remediation';
import { type Options } from '../../../src/runtime/remediation/options';
import { Program } from '../../../src/runtime/remediation/program';
import { type Status } from '../../../src/runtime/remediation/status';
import { InProcessApiServer } from '../../support/api-server/api-server';

export const TOKEN = 'secret';
const NAMESPACE = 'gantry-remediation';

export const SETTINGS = {
  healthySeconds: 0,
  maxUnavailablePercent: 100,
  maxPerRack: 100,
  rules: [
    { name: 'bad', cause: { condition: 'Bad' }, actions: ['taint', 'cordon', 'evict'], graceSeconds: 3 },
    { name: 'fire', cause: { alert: 'Fire' }, actions: ['request-repair'] },
    { name: 'slow', cause: { condition: 'Slow' }, actions: ['move'] },
    { name: 'missing', cause: { condition: 'Missing' }, actions: ['restart-device-plugin'] },
  ],
};

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

export const node = (name: string): JsonObject => ({
  metadata: { name, annotations: { own: 'x' } },
  spec: { taints: [{ key: 'other', effect: 'PreferNoSchedule' }] },
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    allocatable: { cpu: '8', memory: '64Gi', pods: '10', 'nvidia.com/gpu': '2' },
    capacity: { cpu: '8', memory: '64Gi', pods: '10', 'nvidia.com/gpu': '2' },
  },
});

export const pod = (
  name: string,
  on: string,
  more: { readonly gang?: string; readonly gpus?: number; readonly plugin?: boolean } = {},
): JsonObject => ({
  metadata: {
    name,
    namespace: more.plugin === true ? 'gpu-operator' : 'team',
    labels: {
      ...(more.gang === undefined ? {} : { 'gantry.dev/gang': more.gang }),
      ...(more.plugin === true ? { app: 'nvidia-device-plugin-daemonset' } : {}),
    },
    ...(more.plugin === true ? { ownerReferences: [{ kind: 'DaemonSet', name: 'd', controller: true }] } : {}),
  },
  spec: {
    nodeName: on,
    containers: [{ name: 'c', resources: { limits: { cpu: '1', 'nvidia.com/gpu': more.gpus ?? 1 } } }],
  },
  status: { phase: 'Running' },
});

export class Rig {
  readonly server = new InProcessApiServer();
  readonly log: LogLine[] = [];
  readonly programs: Program[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'gantry-remediation-'));

  constructor() {
    this.server.grace = 5;
    this.server.put('v1', 'configmaps', {
      metadata: { name: 'gantry-remediation-alerts', namespace: NAMESPACE },
      data: {},
    });
  }

  get tokenFile(): string {
    return join(this.folder, 'token');
  }

  async start(
    more: Partial<Options> & { readonly settings?: object; readonly requestTimeout?: number } = {},
  ): Promise<Program> {
    const { settings = SETTINGS, requestTimeout, ...options } = more;
    const config = join(this.folder, 'settings.json');
    writeFileSync(config, JSON.stringify(settings));
    writeFileSync(this.tokenFile, `${TOKEN}\n`);
    const program = await Program.start(
      {
        kubeconfig: undefined,
        config,
        mode: 'active',
        interval: 0.02,
        address: '127.0.0.1',
        port: 0,
        alertTokenFile: this.tokenFile,
        leaderElection: false,
        namespace: NAMESPACE,
        leaseName: 'gantry-remediation',
        leaseSeconds: 1,
        alertsName: 'gantry-remediation-alerts',
        identity: `replica-${this.programs.length}`,
        ...options,
      },
      {
        client: { ...this.server.client, close: () => undefined },
        logTo: { write: (line: string) => void this.log.push(JSON.parse(line) as LogLine) },
        requestTimeout,
      },
    );
    this.programs.push(program);
    return program;
  }

  async stop(): Promise<void> {
    this.server.restart();
    this.server.trouble = () => undefined;
    await Promise.all(this.programs.map((program) => program.stop('the test ends')));
    rmSync(this.folder, { recursive: true });
  }

  nodes(...names: readonly string[]): void {
    names.forEach((name) => this.server.put('v1', 'nodes', node(name)));
  }

  pods(...pods: readonly JsonObject[]): void {
    pods.forEach((one) => this.server.put('v1', 'pods', one));
  }

  node(name: string): JsonObject {
    return this.server.store.get('v1', 'nodes', name) ?? {};
  }

  change(name: string, change: JsonObject): void {
    this.server.store.update('v1', 'nodes', { ...this.node(name), ...change });
  }

  /** Sets a condition, and leaves out the others. */
  condition(name: string, type: string, status: string): void {
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type, status },
    ];
    this.change(name, { status: { ...asObject(this.node(name).status), conditions } });
  }

  annotation(name: string, key: string): string | undefined {
    return asString(asObject(asObject(this.node(name).metadata).annotations)[key]);
  }

  record(name: string): RemediationRecord {
    return readRecord(this.annotation(name, 'gantry.dev/remediation'));
  }

  taints(name: string): readonly unknown[] {
    return asArray(asObject(this.node(name).spec).taints).map((taint) => asObject(taint).key);
  }

  isTainted(name: string): boolean {
    return this.taints(name).includes('gantry.dev/unhealthy');
  }

  isCordoned(name: string): boolean {
    return asObject(this.node(name).spec).unschedulable === true;
  }

  /** Evictions that took effect or were refused, without those of a dry run; `namespace/name`. */
  evictions(): readonly string[] {
    return this.server.log
      .filter(
        ({ path, body }) => path.endsWith('/eviction') && asArray(asObject(body.deleteOptions).dryRun).length === 0,
      )
      .map(({ path }) => path.split('/').slice(-4, -1).join('/').replace('/pods', ''));
  }

  podNames(): readonly string[] {
    return this.server.pods().map(({ metadata }) => asString(asObject(metadata).name) ?? '');
  }

  eventReasons(): readonly string[] {
    return this.server.notes().map((note) => note.split(':')[0]);
  }

  async get(path: string, program = this.programs[0]): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${program.port}${path}`);
    return { status: response.status, text: await response.text() };
  }

  async status(program = this.programs[0]): Promise<Status> {
    return JSON.parse((await this.get('/status', program)).text) as Status;
  }

  async metric(line: string, program = this.programs[0]): Promise<number | undefined> {
    const { text } = await this.get('/metrics', program);
    const found = text.split('\n').find((one) => one.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  }

  async alert(body: JsonValue, token: string | undefined = TOKEN, program = this.programs[0]): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${program.port}/alerts`, {
      method: 'POST',
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return response.status;
  }
}

export const firing = (name: string, labels: JsonObject, status = 'firing'): JsonValue => ({
  alerts: [{ status, labels: { alertname: name, ...labels } }],
});

/** Time for several plans, where nothing is to happen. */
export function rounds(): Promise<void> {
  return new Promise((done) => setTimeout(done, 150));
}
