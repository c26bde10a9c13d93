/**
 * The remediation program, put together: it reads nodes and pods, plans, and does what the plan says, again and again. In dry run it keeps
 * the records in memory and changes nothing.
 *
 * The record of a step is written with its marks, before pods are evicted. An eviction that a disruption budget refuses is tried again until
 * the program stops; a program that starts does not know of it.
 */
import { readFileSync } from 'node:fs';
import { type DestinationStream } from 'pino';
import { Counter, Registry } from 'prom-client';
import { type JsonObject } from '../../facts/api/schema';
import { GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { parseValue } from '../../manifests/yaml';
import { asArray, asObject, asString } from '../../manifests/read';
import {
  DEFAULT_REMEDIATION,
  NO_MEMORY,
  planRemediation,
  readRemediationSettings,
  type RemediationPod,
  type RemediationRecord,
  type RemediationSettings,
  type RemediationStep,
} from '../../planning/remediation';
import { isNotFound, messageOf } from '../api/api-error';
import { pause } from '../api/backoff';
import { ApiClient } from '../api/client';
import { type Clock, microTimeText, ServerClock, SYSTEM_CLOCK } from '../api/clock';
import { admissionFrom } from '../api/credentials';
import { type Log, makeLog } from '../api/log';
import { Alerts } from './alerts';
import { fitsElsewhere } from './fits-elsewhere';
import { nodePatch } from './node-patch';
import { type Options } from './options';
import { RemediationServer } from './server';
import { remediationNode, remediationPods } from './state';

type Client = Pick<ApiClient, 'request' | 'close'>;

/** What is outside of the program; a test puts its own in its place. */
export interface Outside {
  /** @default - the API server that the options name */
  readonly client?: Client;
  /** @default - standard output */
  readonly logTo?: DestinationStream;
  readonly clock?: Clock;
}

interface Eviction {
  readonly pod: RemediationPod;
  readonly graceSeconds?: number;
}

const PAGE = 500;
const MERGE = 'application/merge-patch+json';
const MOST_MESSAGE = 1024;
/** Plans that may fail before the program counts as unhealthy. */
const MISSED_UNTIL_UNHEALTHY = 6;

export class Program {
  /** Where it serves. */
  port = 0;
  private memory = NO_MEMORY;
  private readonly alerts = new Alerts();
  private readonly dryRecords = new Map<string, RemediationRecord>();
  /** By uid. */
  private readonly evictions = new Map<string, Eviction>();
  private readonly registry = new Registry();
  private readonly steps = this.counter('actions_total', 'Actions by outcome', ['action', 'outcome']);
  private readonly refused = this.counter('refusals_total', 'Actions that a budget or a lack of places prevented', [
    'rule',
  ]);
  private readonly ending = new AbortController();
  private readonly server: RemediationServer;
  private plannedAt: number;
  private told = '';

  private constructor(
    private readonly options: Options,
    private readonly settings: RemediationSettings,
    private readonly client: Client,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly serverClock: ServerClock,
  ) {
    this.plannedAt = clock.monotonic();
    this.server = new RemediationServer({
      address: options.address,
      port: options.port,
      isHealthy: () => clock.monotonic() - this.plannedAt < MISSED_UNTIL_UNHEALTHY * options.interval * 1000,
      metrics: () => this.registry.metrics(),
      ...(options.alertTokenFile === undefined
        ? {}
        : { alertToken: readFileSync(options.alertTokenFile, 'utf8').trim() }),
      onAlerts: (body) => this.alerts.take(body, clock.monotonic()) !== undefined,
    });
  }

  /** @throws if the settings are invalid, no API server is known, or the port is taken */
  static async start(options: Options, outside: Outside = {}): Promise<Program> {
    const clock = outside.clock ?? SYSTEM_CLOCK;
    const serverClock = new ServerClock(clock);
    const settings = options.config === undefined ? DEFAULT_REMEDIATION : settingsIn(options.config);
    const client =
      outside.client ??
      new ApiClient({
        admission: await admissionFrom(options.kubeconfig),
        connections: 4,
        userAgent: 'gantry-remediation',
        onDate: (date, took) => serverClock.observe(date, took),
      });
    const program = new Program(options, settings, client, makeLog('info', outside.logTo), clock, serverClock);
    program.port = await program.server.listen();
    program.log.info({ mode: options.mode, address: options.address, port: program.port }, 'started');
    void program.run();
    return program;
  }

  async stop(why: string): Promise<void> {
    this.log.info({ why }, 'stopping');
    this.ending.abort();
    await this.server.close();
    this.client.close();
  }

  private async run(): Promise<void> {
    while (!this.ending.signal.aborted) {
      try {
        await this.once();
        this.plannedAt = this.clock.monotonic();
      } catch (error) {
        this.log.warn({ message: messageOf(error) }, 'nothing was planned');
      }
      await pause(this.options.interval * 1000, this.ending.signal);
    }
  }

  private async once(): Promise<void> {
    const nodes = await this.list('nodes', 'Node');
    const pods = await this.list('pods', 'Pod');
    const now = this.clock.monotonic();
    const state = {
      now,
      nodes: nodes.map((object) => this.withDryRecord(remediationNode(object, this.serverClock.now()))),
      ...remediationPods(pods, this.settings),
      alerts: this.alerts.at(now),
    };
    let fits: ReturnType<typeof fitsElsewhere> | undefined;
    const plan = planRemediation(this.settings, state, this.memory, (gang, without) => {
      fits ??= fitsElsewhere([...nodes, ...pods]);
      return fits(gang, without);
    });
    this.memory = plan.memory;
    this.tell(plan.refusals);
    const byName = new Map(nodes.map((object) => [asString(asObject(object.metadata).name), object]));
    for (const step of plan.steps) {
      await this.carryOut(step, byName.get(step.node) ?? {});
    }
    await this.evict(new Set(pods.map(({ metadata }) => asString(asObject(metadata).uid) ?? '')));
  }

  private async carryOut(step: RemediationStep, node: JsonObject): Promise<void> {
    const { node: name, add, remove, gangs, plugins, reasons } = step;
    const what = { node: name, add, remove, gangs: gangs.map(({ key }) => key), plugins: plugins.length, reasons };
    if (this.options.mode === 'dry-run') {
      this.dryRecords.set(name, step.record);
      this.log.info(what, 'would act');
      this.count(step, 'dry-run');
      return;
    }
    try {
      await this.client.request('PATCH', `/api/v1/nodes/${encodeURIComponent(name)}`, {
        contentType: MERGE,
        body: nodePatch(node, step, this.settings),
      });
    } catch (error) {
      this.log.warn({ ...what, message: messageOf(error) }, 'the node was not changed');
      this.count(step, 'failed');
      return;
    }
    this.log.info(what, 'acted');
    this.count(step, 'done');
    for (const { pods, graceSeconds } of gangs) {
      pods.forEach((pod) => this.evictions.set(pod.uid, { pod, graceSeconds }));
    }
    plugins.forEach((pod) => this.evictions.set(pod.uid, { pod }));
    await this.event(step).catch((error: unknown) =>
      this.log.warn({ message: messageOf(error) }, 'an event was not written'),
    );
  }

  /** @param existing uids of the pods that exist */
  private async evict(existing: ReadonlySet<string>): Promise<void> {
    for (const [uid, { pod, graceSeconds }] of this.evictions) {
      if (!existing.has(uid)) {
        this.evictions.delete(uid);
        continue;
      }
      const { namespace, name } = pod;
      try {
        await this.client.request('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
          body: {
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { namespace, name },
            deleteOptions: {
              preconditions: { uid },
              ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
            },
          },
        });
        this.evictions.delete(uid);
      } catch (error) {
        if (isNotFound(error)) {
          this.evictions.delete(uid);
        }
        this.log.warn({ pod: `${namespace}/${name}`, message: messageOf(error) }, 'a pod was not evicted');
      }
    }
  }

  private async event({ node, remove, reasons }: RemediationStep): Promise<void> {
    await this.client.request('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { generateName: `${node.slice(0, 200)}-`, namespace: 'default' },
        eventTime: microTimeText(this.serverClock.now()),
        reportingController: 'gantry.dev/remediation',
        reportingInstance: 'gantry-remediation',
        action: remove.length > 0 ? 'Undo' : 'Remediate',
        type: remove.length > 0 ? 'Normal' : 'Warning',
        reason: remove.length > 0 ? 'RemediationUndone' : 'Remediated',
        note: reasons.join('. ').slice(0, MOST_MESSAGE),
        regarding: { apiVersion: 'v1', kind: 'Node', name: node, uid: node },
      },
    });
  }

  private withDryRecord(node: ReturnType<typeof remediationNode>): ReturnType<typeof remediationNode> {
    const record = this.options.mode === 'dry-run' ? this.dryRecords.get(node.name) : undefined;
    if (record === undefined) {
      return node;
    }
    const { marks } = record;
    return {
      ...node,
      record,
      isCordoned: node.isCordoned || marks.includes('cordon'),
      taints: marks.includes('taint') ? [...node.taints, GANTRY_UNHEALTHY_TAINT] : node.taints,
    };
  }

  private async list(plural: 'nodes' | 'pods', kind: string): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = [];
    let next: string | undefined;
    do {
      const reply: JsonObject = await this.client.request('GET', `/api/v1/${plural}`, {
        query: { limit: PAGE, continue: next },
        signal: this.ending.signal,
      });
      items.push(...asArray(reply.items).map((item) => ({ apiVersion: 'v1', kind, ...asObject(item) })));
      next = asString(asObject(reply.metadata).continue) || undefined;
    } while (next !== undefined);
    return items;
  }

  /** Logs what is not done, when it changes. */
  private tell(refusals: readonly { readonly rule: string }[]): void {
    const text = JSON.stringify(refusals);
    if (text !== this.told) {
      this.told = text;
      refusals.forEach((refusal) => {
        this.refused.inc({ rule: refusal.rule });
        this.log.warn(refusal, 'not done');
      });
    }
  }

  private count({ add, remove, gangs, plugins }: RemediationStep, outcome: string): void {
    add.forEach((action) => this.steps.inc({ action, outcome }));
    remove.forEach((action) => this.steps.inc({ action: `undo-${action}`, outcome }));
    this.steps.inc({ action: 'evict-gang', outcome }, gangs.length);
    this.steps.inc({ action: 'restart-device-plugin', outcome }, plugins.length);
  }

  private counter<T extends string>(name: string, help: string, labelNames: readonly T[]): Counter<T> {
    return new Counter({
      registers: [this.registry],
      name: `gantry_remediation_${name}`,
      help,
      labelNames: [...labelNames],
    });
  }
}

/** @throws where the file cannot be read or used */
function settingsIn(path: string): RemediationSettings {
  const read = parseValue(readFileSync(path, 'utf8'), path);
  if (!('value' in read)) {
    throw new Error(`${path}: ${read.problem.message}`);
  }
  return readRemediationSettings(read.value);
}
