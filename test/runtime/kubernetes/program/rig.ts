/**
 * The whole scheduler program against an API server in this process, under fake timers: a test decides when time passes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../../src/manifests/read';
import { amountsOf } from '../../../../src/manifests/pods/resource-amounts';
import { podRequest } from '../../../../src/planning/cluster/objects/pod-request';
import { type Options } from '../../../../src/runtime/kubernetes/options';
import { Program } from '../../../../src/runtime/kubernetes/program';
import { InProcessApiServer } from '../../../support/api-server/api-server';
import { seeded } from '../../../support/api-server/faults';
import { repairRefresh } from '../../../support/refresh';

export interface RigOptions {
  /** Text of the configuration file. */
  readonly config?: string;
  /** @default 1 */
  readonly seed?: number;
  /** @default - the only replica, without a lease */
  readonly leaseSeconds?: number;
  readonly identity?: string;
  /** @default 'cluster' */
  readonly authentication?: Options['authentication'];
  /** A server that another rig runs already. */
  readonly server?: InProcessApiServer;
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** To be called before anything is made: from here on time does not pass. */
export function stopTime(seed = 1): void {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'hrtime'],
    now: Date.UTC(2026, 0, 1),
  });
  repairRefresh();
  jest.spyOn(Math, 'random').mockImplementation(seeded(seed));
}

export function letTimeRun(): void {
  jest.useRealTimers();
  jest.restoreAllMocks();
}

export class Rig {
  /** What was wrong at any moment, in words. */
  readonly faults = new Set<string>();

  private constructor(
    readonly server: InProcessApiServer,
    readonly program: Program,
    readonly log: LogLine[],
    private readonly folder: string,
  ) {}

  static async start({
    config = '{}',
    leaseSeconds,
    identity = 'only',
    authentication = 'cluster',
    server = new InProcessApiServer(),
  }: RigOptions = {}): Promise<Rig> {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-rig-'));
    const file = join(folder, 'scheduler.yaml');
    writeFileSync(file, config);
    const log: LogLine[] = [];
    const program = await Program.start(
      {
        config: file,
        kubeconfig: undefined,
        address: '127.0.0.1',
        port: 0,
        authentication,
        leaderElection: leaseSeconds !== undefined,
        leaseNamespace: 'kube-system',
        leaseName: 'gantry-scheduler',
        leaseSeconds: leaseSeconds ?? 15,
        identity,
        clusterName: 'test',
      },
      {
        client: { ...server.client, close: () => undefined },
        logTo: { write: (line) => void log.push(JSON.parse(line) as LogLine) },
      },
    );
    const rig = new Rig(server, program, log, folder);
    server.store.lookAtStates(() => rig.look());
    return rig;
  }

  /** Lets time pass, and everything happen that happens in it. */
  async pass(milliseconds: number): Promise<void> {
    await jest.advanceTimersByTimeAsync(milliseconds);
  }

  /**
   * Lets time pass until something is so.
   * @throws where it is not so within `limit` milliseconds of fake time
   */
  async until(what: string, isSo: () => boolean, limit = 120_000): Promise<void> {
    for (let passed = 0; !isSo(); passed += 100) {
      if (passed >= limit) {
        const ending = this.log.slice(-8).map((line) => JSON.stringify(line));
        throw new Error(`Not within ${limit} ms: ${what}\n${ending.join('\n')}`);
      }
      await this.pass(100);
    }
  }

  async stop(): Promise<void> {
    let isStopped = false;
    const stopped = this.program.stop('the test is over').finally(() => (isStopped = true));
    // Compression takes time that is not that of the test.
    while (!isStopped) {
      await this.pass(1000);
    }
    await stopped;
    rmSync(this.folder, { recursive: true, force: true });
  }

  configure(text: string): void {
    writeFileSync(join(this.folder, 'scheduler.yaml'), text);
  }

  said(message: string): readonly LogLine[] {
    return this.log.filter(({ msg }) => msg === message);
  }

  async ask(path: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
    let isAnswered = false;
    const answer = this.send(path, token).finally(() => (isAnswered = true));
    answer.catch(() => undefined);
    // The program's own requests to its API server wait for time to pass.
    while (!isAnswered) {
      await this.pass(1);
    }
    return answer;
  }

  private send(path: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((done, fail) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      get({ host: '127.0.0.1', port: this.program.port, path, headers, agent: false }, (response) => {
        let text = '';
        const answer = (): void => done({ status: response.statusCode ?? 0, text });
        response
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
            // A stream of events does not end.
            if (response.headers['content-type'] === 'text/event-stream') {
              response.destroy();
              answer();
            }
          })
          .on('end', answer)
          .on('error', () => undefined);
      }).on('error', fail);
    });
  }

  /** Value of a metric, summed up over its labels; those that match where a text is given. */
  async metric(name: string, labels = ''): Promise<number> {
    const { text } = await this.ask('/metrics');
    return text
      .split('\n')
      .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  addNodes(count: number, gpus = 8): void {
    for (let i = 0; i < count; i++) {
      this.server.put('v1', 'nodes', nodeObject(`n-${i}`, gpus));
    }
  }

  addPods(...pods: readonly JsonObject[]): void {
    pods.forEach((pod) => this.server.put('v1', 'pods', pod));
  }

  /** What must hold at every moment: no node over capacity, no device held twice. */
  private look(): void {
    overCapacity([...this.server.store.collection('v1', 'nodes').values()], this.server.pods()).forEach((fault) =>
      this.faults.add(fault),
    );
  }
}

export function nodeObject(name: string, gpus = 8, labels: Readonly<Record<string, string>> = {}): JsonObject {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: {},
    status: {
      allocatable: { cpu: '64', memory: '512Gi', pods: '110', ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }) },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

export interface PodShape {
  readonly namespace?: string;
  readonly gang?: string;
  readonly minimum?: number;
  readonly gpus?: number;
  readonly cpu?: string;
  readonly queue?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly gated?: boolean;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
}

export function podObject(name: string, shape: PodShape = {}): JsonObject {
  const { namespace = 'default', gang, minimum, gpus = 1, cpu = '1', queue, gated = false } = shape;
  return {
    metadata: {
      namespace,
      name,
      labels: {
        ...(gang !== undefined && { 'gantry.dev/gang': gang }),
        ...(queue !== undefined && { 'gantry.dev/queue': queue }),
        ...shape.labels,
      },
      annotations: {
        ...(minimum !== undefined && { 'gantry.dev/gang-min-member': String(minimum) }),
        ...shape.annotations,
      },
      ...shape.metadata,
    },
    spec: {
      schedulerName: gated ? 'default-scheduler' : 'gantry',
      ...(gated && { schedulingGates: [{ name: 'gantry.dev/placement' }] }),
      containers: [
        { name: 'main', resources: { requests: { cpu, ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }) } } },
      ],
      ...shape.spec,
    },
    status: { phase: 'Pending' },
  };
}

/** All pods of a gang. */
export function gangOf(name: string, count: number, shape: PodShape = {}): readonly JsonObject[] {
  return Array.from({ length: count }, (_, i) => podObject(`${name}-${i}`, { gang: name, minimum: count, ...shape }));
}

/** What is wrong, in words: nodes that hold more than they have, devices that two of Gantry's pods hold. */
export function overCapacity(nodes: readonly JsonObject[], pods: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  const held = pods.filter(
    ({ spec, status }) =>
      asObject(spec).nodeName !== undefined &&
      !['Succeeded', 'Failed'].includes(asString(asObject(status).phase) ?? ''),
  );
  for (const node of nodes) {
    const name = asString(asObject(node.metadata).name) ?? '';
    const sum: Record<string, number> = {};
    for (const pod of held.filter(({ spec }) => asObject(spec).nodeName === name)) {
      for (const [resource, amount] of Object.entries(podRequest(asObject(pod.spec)))) {
        sum[resource] = (sum[resource] ?? 0) + amount;
      }
    }
    const has: Readonly<Record<string, number>> = amountsOf(asObject(node.status).allocatable);
    for (const [resource, amount] of Object.entries(sum)) {
      if (amount > (has[resource] ?? 0)) {
        faults.push(`${name} holds ${amount} ${resource} and has ${has[resource] ?? 0}`);
      }
    }
  }
  return faults;
}

/** Binds pods that are pinned to a node and have no gate, as kube-scheduler does. */
export function kubeScheduler(server: InProcessApiServer, delay = 20): void {
  server.store.listeners.push(({ plural, type, object }) => {
    const spec = asObject(object.spec);
    const { name, namespace } = asObject(object.metadata);
    if (
      plural !== 'pods' ||
      type === 'DELETED' ||
      spec.nodeName !== undefined ||
      spec.schedulerName !== 'default-scheduler' ||
      asArray(spec.schedulingGates).length > 0
    ) {
      return;
    }
    const node = pinnedTo(spec);
    if (node === undefined) {
      return;
    }
    setTimeout(() => {
      const found = server.store.get('v1', 'nodes', node);
      const nodes = found === undefined ? [] : [found];
      const known = server.store.get('v1', 'pods', `${asString(namespace)}/${asString(name)}`);
      if (known === undefined || nodes.length === 0 || asObject(known.spec).nodeName !== undefined) {
        return;
      }
      const there = { ...known, spec: { ...asObject(known.spec), nodeName: node } };
      if (overCapacity(nodes, [...server.pods().filter((pod) => pod !== known), there]).length === 0) {
        server.carryOut('POST', `/api/v1/namespaces/${asString(namespace)}/pods/${asString(name)}/binding`, {
          body: { metadata: {}, target: { name: node } },
        });
      }
    }, delay);
  });
}

function pinnedTo(spec: JsonObject): string | undefined {
  const required = asObject(
    asObject(asObject(spec.affinity).nodeAffinity).requiredDuringSchedulingIgnoredDuringExecution,
  );
  const [term] = asArray(required.nodeSelectorTerms).map(asObject);
  const field = asArray(term?.matchFields)
    .map(asObject)
    .find(({ key }) => key === 'metadata.name');
  return asString(asArray(field?.values)[0]);
}
