/**
 * The remediation program, put together: it watches nodes and pods, plans, and does what the plan says. Of several replicas, the one that holds
 * the lease acts; the others plan too, so that no wait starts again when they take over. A dry run changes nothing and elects no leader.
 *
 * The record of a step is written with its marks, and evictions follow from records alone. A program that ends at any moment leaves
 * behind what the next one needs to finish.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type DestinationStream } from 'pino';
import { type JsonValue } from '../../facts/api/schema';
import { parseValue } from '../../manifests/yaml';
import {
  DEFAULT_REMEDIATION,
  type FitsElsewhere,
  isActing,
  NO_MEMORY,
  planRemediation,
  readRemediationSettings,
  type RemediationNeeds,
  remediationNeeds,
  type RemediationRefusal,
  type RemediationSettings,
} from '../../planning/remediation';
import { messageOf } from '../api/api-error';
import { pause } from '../api/backoff';
import { ApiClient } from '../api/client';
import { type Clock, ServerClock, SYSTEM_CLOCK } from '../api/clock';
import { admissionFrom } from '../api/credentials';
import { ALONE, Leader } from '../api/leader';
import { type Log, makeLog } from '../api/log';
import { Watched } from '../api/watched';
import { Acts } from './acts';
import { readNotification } from './alerts';
import { AlertConfigMap, AlertsInMemory, type AlertStore } from './alert-store';
import { WatchedCluster } from './cluster';
import { Events } from './events';
import { Moves } from './fits-elsewhere';
import { Metrics } from './metrics';
import { differs } from './node-change';
import { type Options } from './options';
import { RemediationServer } from './server';
import { type Latest, type Status, statusOf } from './status';

type Client = Pick<ApiClient, 'request' | 'stream' | 'close'>;

/** What is outside of the program; a test puts its own in its place. */
export interface Outside {
  /** @default - the API server that the options name */
  readonly client?: Client;
  /** @default - standard output */
  readonly logTo?: DestinationStream;
  readonly clock?: Clock;
  /** How long a request to the program may take, milliseconds. @default 10,000 */
  readonly requestTimeout?: number;
}

/** Of one write, where no lease says less, milliseconds. */
const ALONE_TIMEOUT = 10_000;
/** Between two plans at least, milliseconds. */
const PAUSE = 250;
/** Refusals that one plan adds to the log. */
const MOST_TOLD = 100;
/** Plans that may be late before the program counts as unhealthy. */
const MISSED_UNTIL_UNHEALTHY = 6;

export class Program {
  /** Where it serves. */
  port = 0;
  private memory = NO_MEMORY;
  private readonly needs: RemediationNeeds;
  private readonly metrics = new Metrics();
  private readonly leader: Pick<Leader, 'holds' | 'heldSince' | 'holder' | 'run' | 'stop'>;
  private readonly watched: Watched;
  private readonly cluster: WatchedCluster;
  private readonly alerts: AlertStore;
  private readonly acts: Acts;
  private readonly server: RemediationServer;
  private readonly ending = new AbortController();
  private waking = new AbortController();
  private refreshedFor = -1;
  private plannedAt: number;
  private failuresInARow = 0;
  private told: ReadonlySet<string> = new Set();
  private latest: Latest | undefined;
  private refusals: readonly RemediationRefusal[] = [];
  private readonly moves = new Moves();
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly options: Options,
    private readonly settings: RemediationSettings,
    private readonly client: Client,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly serverClock: ServerClock,
    requestTimeout: number | undefined,
  ) {
    this.plannedAt = clock.monotonic();
    this.needs = remediationNeeds(settings);
    this.leader = options.leaderElection ? this.makeLeader() : ALONE;
    this.metrics.leader.set(options.leaderElection || this.isDryRun ? 0 : 1);
    this.metrics.dryRun.set(this.isDryRun ? 1 : 0);
    this.watched = new Watched({
      client,
      names: this.needs.collections,
      onNote: (collection, note) =>
        log[note.kind === 'failed' || note.kind === 'expired' ? 'warn' : 'debug']({ collection, ...note }, 'watch'),
    });
    this.watched.onChange(({ collection, before, after }) => {
      const isOfInterest = collection === 'nodes' ? differs(before, after) : collection === 'pods' && this.isEvicting;
      if (isOfInterest) {
        this.wake();
      }
    });
    this.cluster = new WatchedCluster(this.watched, settings, this.needs.collections);
    this.alerts =
      options.alertTokenFile === undefined || !this.needs.alerts || this.isDryRun
        ? new AlertsInMemory()
        : new AlertConfigMap({
            client,
            namespace: options.namespace,
            name: options.alertsName,
            onFault: (message) => log.warn({ message }, 'the alerts that fire were not read'),
          });
    this.acts = new Acts({
      client,
      timeout: options.leaderElection ? ((options.leaseSeconds * 1000) / 3) * 0.8 : ALONE_TIMEOUT,
      isDryRun: this.isDryRun,
      leads: this.leads,
      settings,
      requestsRepairs: this.needs.actions.has('request-repair'),
      cluster: this.cluster,
      events: new Events({
        client,
        identity: options.identity,
        now: () => serverClock.now(),
        onError: (error) => log.warn({ message: messageOf(error) }, 'an event was not written'),
      }),
      metrics: this.metrics,
      log,
      now: () => serverClock.now(),
    });
    this.server = new RemediationServer({
      address: options.address,
      port: options.port,
      isHealthy: () => clock.monotonic() - this.plannedAt < MISSED_UNTIL_UNHEALTHY * (options.interval * 1000 + PAUSE),
      whyNotReady: () => (this.isSynced ? undefined : 'not all objects have been read yet'),
      metrics: async () => ({
        type: this.metrics.registry.contentType,
        text: await this.metrics.registry.metrics(),
      }),
      status: () => this.status(),
      ...alertTokenOf(options),
      ...(requestTimeout === undefined ? {} : { requestTimeout }),
      onAlerts: (body) => this.takeAlerts(body),
    });
  }

  /** @throws if the settings are invalid, no API server is known, or the port is taken */
  static async start(options: Options, outside: Outside = {}): Promise<Program> {
    const clock = outside.clock ?? SYSTEM_CLOCK;
    const serverClock = new ServerClock(clock);
    const settings = options.config === undefined ? DEFAULT_REMEDIATION : settingsIn(options.config);
    const log = makeLog('info', outside.logTo);
    const client: Client =
      outside.client ??
      new ApiClient({
        admission: await admissionFrom(options.kubeconfig),
        connections: 16,
        userAgent: 'gantry-remediation',
        onRequest: (method, _, status) => program.metrics.requests.inc({ method, status }),
        onDate: (date, took) => serverClock.observe(date, took),
      });
    const program: Program = new Program(options, settings, client, log, clock, serverClock, outside.requestTimeout);
    program.port = await program.server.listen();
    const { mode, identity, address } = options;
    log.info({ mode, identity, address, port: program.port, rules: settings.rules.map(({ name }) => name) }, 'started');
    void program.run();
    return program;
  }

  /** Gives the lease back, and ends. What is not finished is left to the next leader. */
  stop(why: string): Promise<void> {
    return (this.stopping ??= this.end(why));
  }

  private async run(): Promise<void> {
    const parts = [this.watched.run(), this.alerts.run(), this.leader.run(), this.rounds()];
    await Promise.all(parts).catch((error: unknown) => {
      this.log.fatal({ err: error }, 'a part of the program ended');
      process.exitCode = 1;
      return this.stop('a part of the program ended');
    });
  }

  private async end(why: string): Promise<void> {
    this.log.info({ why }, 'stopping');
    this.ending.abort();
    this.wake();
    await this.leader
      .stop(true)
      .catch((error: unknown) => this.log.warn({ message: messageOf(error) }, 'the lease was not released'));
    this.watched.stop();
    this.alerts.stop();
    await this.server.close();
    this.client.close();
    this.log.info('stopped');
  }

  private get isDryRun(): boolean {
    return this.options.mode === 'dry-run';
  }

  private get isSynced(): boolean {
    return this.watched.isSynced && this.alerts.isSynced;
  }

  private get isEvicting(): boolean {
    return (this.latest?.plan.evictions.length ?? 0) + (this.latest?.plan.restarts.length ?? 0) > 0;
  }

  /** May this process change the cluster, now? */
  private readonly leads = (): boolean => !this.isDryRun && this.leader.holds && !this.ending.signal.aborted;

  private wake(): void {
    this.waking.abort();
  }

  private async rounds(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      const { interval } = this.options;
      let until = this.clock.monotonic() + interval * 1000;
      try {
        until = Math.min(until, (await this.round()) ?? Infinity);
        this.failuresInARow = 0;
      } catch (error) {
        this.failuresInARow++;
        this.metrics.planFailures.inc();
        this.log.error({ message: messageOf(error), inARow: this.failuresInARow }, 'a plan failed');
      }
      await pause(Math.min(PAUSE, interval * 1000), signal);
      await pause(Math.max(0, until - this.clock.monotonic()), this.waking.signal);
      this.waking = new AbortController();
    }
  }

  /** @returns when the next one is due, on the monotonic clock; `undefined`: as usual */
  private async round(): Promise<number | undefined> {
    if (!this.isSynced) {
      return this.clock.monotonic();
    }
    await this.seeOwnPast();
    const now = this.clock.monotonic();
    const time = this.serverClock.now();
    const state = this.cluster.state(now, time, this.alerts.at(time));
    let fits: FitsElsewhere | undefined;
    const plan = planRemediation(this.settings, state, this.memory, (gang, without) => {
      fits ??= this.moves.fitsElsewhere(this.cluster.objects(), now);
      return fits(gang, without);
    });
    this.memory = plan.memory;
    this.plannedAt = now;
    this.latest = { plan, state };
    const refused = await this.acts.carryOut(plan, state);
    this.tell([...plan.refusals, ...refused]);
    if (this.leads() || this.isDryRun) {
      this.metrics.show(plan, this.refusals, state.nodes.filter(({ record }) => isActing(record)).length);
    } else {
      this.metrics.showNothing();
    }
    // What was begun is seen in the next plan: evictions follow from records.
    return this.leads() && plan.steps.length > 0 ? now : plan.nextAt;
  }

  /** After this replica got the lease: what the one before has written must be known. */
  private async seeOwnPast(): Promise<void> {
    const { heldSince } = this.leader;
    if (this.leads() && heldSince !== this.refreshedFor) {
      const names = (['nodes', 'pods'] as const).filter((name) => this.needs.collections.includes(name));
      await this.watched.refresh(heldSince, ...names);
      this.refreshedFor = heldSince;
    }
  }

  private async takeAlerts(body: JsonValue): Promise<boolean> {
    const nodes = this.watched.isSynced ? this.watched.all('nodes') : undefined;
    const notification = readNotification(body, this.settings, (name) => nodes?.has(name) ?? true);
    if (notification === undefined) {
      this.metrics.alerts.inc({ outcome: 'malformed' });
      return false;
    }
    try {
      const { alerts, ignored } = notification;
      const taken = await this.alerts.take(alerts, this.serverClock.now());
      this.metrics.alerts.inc({ outcome: 'taken' }, taken.taken);
      this.metrics.alerts.inc({ outcome: 'ignored' }, ignored + taken.ignored);
      this.wake();
      return true;
    } catch (error) {
      this.metrics.alerts.inc({ outcome: 'failed' });
      this.log.warn({ message: messageOf(error) }, 'alerts were not kept');
      throw error;
    }
  }

  private makeLeader(): Leader {
    const { namespace, leaseName, leaseSeconds, identity } = this.options;
    return new Leader({
      client: this.client,
      namespace,
      name: leaseName,
      identity,
      leaseSeconds,
      renewWithinSeconds: leaseSeconds * (2 / 3),
      retrySeconds: leaseSeconds / 7.5,
      clock: this.clock,
      onChange: (holds, why) => {
        this.log.info({ holds, why, identity }, 'lease');
        this.metrics.leader.set(holds ? 1 : 0);
        this.wake();
      },
    });
  }

  /** Logs what is not done, when it is new. */
  private tell(refusals: readonly RemediationRefusal[]): void {
    this.refusals = refusals;
    if (!this.leads() && !this.isDryRun) {
      return;
    }
    const told = new Map(refusals.map((refusal) => [JSON.stringify(refusal), refusal]));
    const news = [...told].filter(([text]) => !this.told.has(text));
    news.slice(0, MOST_TOLD).forEach(([, refusal]) => this.log.warn(refusal, 'not done'));
    if (news.length > MOST_TOLD) {
      this.log.warn({ more: news.length - MOST_TOLD }, 'not done; the page lists all of them');
    }
    this.told = new Set(told.keys());
  }

  private status(): Status {
    const { mode } = this.options;
    const { holder } = this.leader;
    return { mode, leads: this.leads(), holder, ...statusOf(this.latest, this.refusals), recent: this.acts.recent };
  }
}

/** The file is read again for each request, since secrets are rotated. */
function alertTokenOf({ alertTokenFile: file }: Options): { readonly alertToken?: () => Promise<string> } {
  if (file === undefined) {
    return {};
  }
  if (readFileSync(file, 'utf8').trim() === '') {
    throw new Error(`${file}: the token must not be empty. Write the bearer token that Alertmanager sends.`);
  }
  return { alertToken: async () => (await readFile(file, 'utf8')).trim() };
}

/** @throws where the file cannot be read or used */
function settingsIn(path: string): RemediationSettings {
  const read = parseValue(readFileSync(path, 'utf8'), path);
  if (!('value' in read)) {
    throw new Error(`${path}: ${read.problem.message}`);
  }
  return readRemediationSettings(read.value);
}
