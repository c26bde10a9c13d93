/**
 * The program, put together: what is watched, who decides, who carries out, who may look.
 */
import { type DestinationStream } from 'pino';
import { clusterView } from '../../planning/cluster';
import { commonLevels, nodeHealthOf } from '../../planning/cluster/objects';
import { poolName } from '../../planning/cluster/nodes/pools';
import { type LiveView } from '../../planning/pages/live-view';
import { renderLivePage } from '../../planning/pages/plan-page';
import { Actor } from './actor';
import { AsideEvents } from './aside-events';
import { messageOf } from '../api/api-error';
import { ApiClient } from '../api/client';
import { admissionFrom } from '../api/credentials';
import { Assumptions } from './assumptions';
import { ServerClock, timeText } from '../api/clock';
import { ConfigurationFile } from './configuration-file';
import { Decisions } from './decisions';
import { Explainer } from './explain';
import { ClusterAuthorizer, EVERYBODY } from './http/authorizer';
import { HttpFace } from './http/server';
import { History } from './history/history';
import { ALONE, Leader } from '../api/leader';
import { type Log, makeLog } from '../api/log';
import { Metrics } from './metrics';
import { type Options } from './options';
import { type Outcome } from './outcome';
import { recentActs } from './recent-acts';
import { Paced } from './paced';
import { letPodGroupsGoOn, type PodGroupReport, reportPodGroups } from './report-pod-groups';
import { FAILURES_UNTIL_UNREADY, Scheduler } from './scheduler';
import { showNothing, showOutcome } from './show-outcome';
import { eachPending, pendingReports, waitingOf } from './waiting';
import { Watched } from '../api/watched';
import { type PodEntry } from './world/pod-entry';
import { type Aside } from './world/set-aside';
import { World } from './world/world';

/** Of one write where there is no other replica that it could meet, milliseconds. */
const ALONE_TIMEOUT = 10_000;
/** What a stopping program still waits for, milliseconds. */
const LAST_WORDS = 5000;

type Client = Pick<ApiClient, 'request' | 'stream' | 'close'>;

/** What is outside of the program; a test puts its own in its place. */
export interface Outside {
  /** @default - the API server that the options name */
  readonly client?: Client;
  /** @default - standard output */
  readonly logTo?: DestinationStream;
}

/** Time of rest to the time that it takes to look at all gangs that wait. */
const REST_OF_ALL = 300;

export class Program {
  /** Where it serves. */
  port = 0;
  private readonly metrics = new Metrics();
  private readonly serverClock = new ServerClock();
  private readonly assumptions = new Assumptions();
  private readonly decisions = new Decisions();
  private readonly leader: Pick<Leader, 'holds' | 'heldSince' | 'holder' | 'run' | 'stop'>;
  private readonly watched: Watched;
  private readonly world: World;
  private readonly explainer: Explainer;
  private readonly asideEvents: AsideEvents;
  private readonly actor: Actor;
  private readonly scheduler: Scheduler;
  private readonly history: History;
  private readonly face: HttpFace;
  private readonly page: string;
  private readonly informing = new Paced(
    () => this.inform(),
    (error) => this.unreported(error),
  );
  private readonly informingAll = new Paced(
    () => this.informAll(),
    (error) => this.unreported(error),
    undefined,
    REST_OF_ALL,
  );
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly options: Options,
    private readonly client: Client,
    private readonly file: ConfigurationFile,
    private readonly log: Log,
  ) {
    const config = (): typeof file.current => file.current;
    this.leader = options.leaderElection ? this.makeLeader() : ALONE;
    this.metrics.leader.set(options.leaderElection ? 0 : 1);
    this.watched = new Watched({
      client,
      onNote: (collection, note) => {
        if (note.kind === 'failed') {
          this.metrics.watchFailures.inc({ collection });
        }
        log[note.kind === 'failed' || note.kind === 'expired' ? 'warn' : 'debug']({ collection, ...note }, 'watch');
      },
    });
    this.world = new World(this.watched, config());
    this.explainer = new Explainer({
      client,
      leads: () => this.leader.holds,
      serverClock: this.serverClock,
      identity: options.identity,
      limits: () => config().explain,
      onError: (what, message) => log.debug({ what, message }, 'not sent'),
    });
    this.asideEvents = new AsideEvents({
      world: this.world,
      watched: this.watched,
      explainer: this.explainer,
      limits: () => config().explain,
    });
    const parts = {
      client,
      config,
      log,
      world: this.world,
      assumptions: this.assumptions,
      leader: this.leader,
      metrics: this.metrics,
      serverClock: this.serverClock,
    };
    // What is left of a lease when its holder no longer trusts it, and a fifth for the clock and the network.
    const requestTimeout = options.leaderElection ? ((options.leaseSeconds * 1000) / 3) * 0.8 : ALONE_TIMEOUT;
    this.actor = new Actor({
      ...parts,
      requestTimeout,
      claimsPath: () => this.watched.pathOf('resourceClaims'),
      explainer: this.explainer,
      onSurprise: () => this.scheduler.changed(),
      onDue: (milliseconds) => this.scheduler.lookAgainIn(milliseconds),
      onEvicted: (entry) => this.history.evicted(entry),
    });
    this.scheduler = new Scheduler({
      ...parts,
      watched: this.watched,
      actor: this.actor,
      onOutcome: (outcome) => this.tell(outcome),
      onReasons: () => this.tellReasons(),
    });
    this.history = new History({
      ...parts,
      namespace: options.leaseNamespace,
      scheduler: options.leaseName,
      timeout: requestTimeout,
      term: () => (this.leader.holds && this.scheduler.leads ? this.leader.heldSince : undefined),
    });
    this.world.onPod = (before, after) => this.settle(before, after);
    this.world.onRelevant = (ready) => this.scheduler.changed(ready);
    this.world.aside.onNew = (aside) => this.asideBegins(aside);
    this.page = renderLivePage({ title: options.clusterName, events: '/gantry/v1/stream' });
    this.face = new HttpFace({
      address: options.address,
      port: options.port,
      authorizer: options.authentication === 'off' ? EVERYBODY : new ClusterAuthorizer(client),
      trustsLoopback: options.authentication !== 'always',
      face: {
        isHealthy: () => this.scheduler.isAlive,
        isReady: () => this.whyNotReady() === undefined,
        whyNotReady: () => this.whyNotReady() ?? '',
        metrics: async () => ({ type: this.metrics.registry.contentType, text: await this.metricsText() }),
        view: () => this.view(),
        waitingFor: () => this.waitingFor(),
        pending: () => this.pending(),
        decisions: () => this.decisions.latest,
        page: () => this.page,
      },
    });
  }

  /**
   * Starts, and says the port on which it serves.
   * @throws where the configuration has faults, or no API server is known
   */
  static async start(options: Options, outside: Outside = {}): Promise<Program> {
    const file = new ConfigurationFile({
      path: options.config,
      onChange: (configuration) => program.reconfigure(configuration),
      onFault: (message) => log.error({ message }, 'the configuration was rejected; the previous one stays in effect'),
    });
    await file.open();
    const log = makeLog(file.current.log.level, outside.logTo);
    const client: Client =
      outside.client ??
      new ApiClient({
        admission: await admissionFrom(options.kubeconfig),
        connections: file.current.binding.inFlight + 16,
        onRequest: (method, _, status, seconds) => program.metrics.countRequest(method, status, seconds),
        onDate: (date, took) => program.serverClock.observe(date, took),
      });
    const program: Program = new Program(options, client, file, log);
    program.port = await program.face.listen();
    log.info({ identity: options.identity, address: options.address, port: program.port }, 'started');
    void program.run();
    return program;
  }

  /** Finishes what is under way, or leaves it, gives the lease back, and ends. */
  stop(why: string): Promise<void> {
    return (this.stopping ??= this.end(why));
  }

  private async run(): Promise<void> {
    const { watched, leader, explainer, scheduler, history, file } = this;
    const parts = [watched, leader, explainer, scheduler, history, file].map((part) => part.run());
    await Promise.all(parts).catch((error: unknown) => {
      this.log.fatal({ err: error }, 'a part of the program ended');
      process.exitCode = 1;
      return this.stop('a part of the program ended');
    });
  }

  private async end(why: string): Promise<void> {
    this.log.info({ why }, 'stopping');
    this.scheduler.stop();
    this.informing.stop();
    this.informingAll.stop();
    await this.actor.finish(LAST_WORDS);
    await this.history.stop();
    this.explainer.stop();
    this.file.stop();
    await this.leader
      .stop(true)
      .catch((error: unknown) => this.log.warn({ message: messageOf(error) }, 'the lease was not released'));
    this.watched.stop();
    await this.face.close();
    this.client.close();
    this.log.info('stopped');
  }

  private makeLeader(): Leader {
    const { leaseNamespace, leaseName, leaseSeconds, identity } = this.options;
    return new Leader({
      client: this.client,
      namespace: leaseNamespace,
      name: leaseName,
      identity,
      leaseSeconds,
      renewWithinSeconds: leaseSeconds * (2 / 3),
      retrySeconds: leaseSeconds / 7.5,
      onChange: (holds, why) => {
        this.log.info({ holds, why, identity }, 'lease');
        this.metrics.leader.set(holds ? 1 : 0);
        if (!holds) {
          showNothing(this.metrics);
        }
        this.scheduler.changed();
        this.face.publish();
      },
    });
  }

  private reconfigure(configuration: typeof this.file.current): void {
    this.log.level = configuration.log.level;
    this.world.configure(configuration);
    this.scheduler.changed();
    this.log.info('configuration reloaded');
  }

  /** What was assumed of a pod is known now. */
  private settle(before: PodEntry | undefined, after: PodEntry | undefined): void {
    [before, after].forEach((entry) => entry !== undefined && this.history.touch(entry));
    this.actor.follow(before, after);
    if (before !== undefined && before.uid !== after?.uid) {
      this.assumptions.forget(before.uid);
    }
    // A pod that lost its gate and names this scheduler is not placed by that: it is bound in a later cycle, on the node of the hand-over.
    const isToBeBound = before?.way === 'gated' && after?.way === 'direct';
    if (after !== undefined && (after.state !== 'waiting' || isToBeBound)) {
      this.assumptions.unplace(after.uid);
    }
  }

  private whyNotReady(): string | undefined {
    if (!this.watched.isSynced) {
      return 'not all objects have been read yet';
    }
    const { failuresInARow } = this.scheduler;
    return failuresInARow < FAILURES_UNTIL_UNREADY
      ? undefined
      : `the last ${failuresInARow} cycles failed; see the log`;
  }

  private asideBegins(aside: Aside): void {
    if (this.asideEvents.begins(aside)) {
      this.log.warn({ ...aside }, 'set aside');
    }
  }

  private tell(outcome: Outcome): void {
    this.decisions.add(outcome);
    letPodGroupsGoOn(this.podGroups(outcome));
    this.informing.ask();
    this.informingAll.ask();
    this.face.publish();
  }

  private tellReasons(): void {
    this.informing.ask();
    this.informingAll.ask();
    this.face.publish();
  }

  private unreported(error: unknown): void {
    this.log.error({ err: error }, 'the outcome was not reported');
  }

  /** Reports of the latest outcome that no controller waits for, one gang after the other: of those that have anything new. */
  private *inform(): Generator<void> {
    const { outcome } = this.scheduler;
    if (outcome === undefined || !this.leader.holds) {
      return;
    }
    const changed = this.scheduler.takeTouched();
    const explained = this.scheduler.takeExplained();
    this.metrics.setAside.reset();
    this.world.aside.list.forEach(({ kind }) => this.metrics.setAside.inc({ kind }));
    showOutcome(this.metrics, outcome, this.serverClock.skew());
    yield;
    const { nominations } = outcome.decision;
    const gangs = new Set([
      ...[...changed].flatMap((id) => this.world.gangs.get(id) ?? []),
      ...[...explained, ...nominations.map(({ gang }) => gang)].flatMap((name) => this.world.gangNamed(name) ?? []),
    ]);
    const waiting = [...gangs].filter(({ key }) => outcome.waiting.has(key));
    const messages = new Map<string, string>();
    for (const report of eachPending(outcome, this.assumptions, waiting)) {
      messages.set(report.gang, report.message);
      this.explainer.waits(waitingOf(report, this.world));
      yield;
    }
    for (const gang of gangs) {
      reportPodGroups(this.podGroups(outcome), [gang], messages);
      yield;
    }
  }

  /** The same of all gangs that wait: what was not reported because it was reported a moment before, and what is to be repeated. */
  private *informAll(): Generator<void> {
    const { outcome } = this.scheduler;
    if (outcome === undefined || !this.leader.holds) {
      return;
    }
    const kinds = new Map<string, number>();
    const names = new Set<string>();
    for (const report of eachPending(outcome, this.assumptions)) {
      kinds.set(report.kind, (kinds.get(report.kind) ?? 0) + 1);
      names.add(report.gang);
      this.explainer.waits(waitingOf(report, this.world));
      const gang = this.world.gangNamed(report.gang);
      if (gang !== undefined) {
        reportPodGroups(this.podGroups(outcome), [gang], new Map([[report.gang, report.message]]));
      }
      yield;
    }
    this.metrics.pending.reset();
    kinds.forEach((count, reason) => this.metrics.pending.set({ reason }, count));
    this.explainer.forgetOthers(names);
  }

  private podGroups({ at }: Outcome): PodGroupReport {
    const { watched, world, explainer } = this;
    return { watched, world, explainer, now: timeText(at) };
  }

  private pending(): ReturnType<typeof pendingReports> {
    const { outcome } = this.scheduler;
    return outcome === undefined ? [] : pendingReports(outcome, this.assumptions);
  }

  /** What a replica once decided is not what the cluster looks like now. */
  private view(): LiveView | null {
    const { outcome } = this.scheduler;
    if (outcome === undefined || !this.leader.holds) {
      return null;
    }
    const { session, reasons, at, held } = outcome;
    const decision = { ...outcome.decision, pending: reasons.list };
    const view = clusterView({
      session,
      decision,
      at,
      cluster: this.options.clusterName,
      levels: commonLevels(this.world.nodes, this.world.topologies),
      poolOf: poolName,
      healthOf: (node) => nodeHealthOf(this.watched.all('nodes').get(node) ?? {}),
      factsOf: (gang) => {
        const { kind = 'Pod', namespace = gang.split('/')[0] } = this.world.gangNamed(gang)?.identity ?? {};
        return { kind, namespace };
      },
      notes: [...this.notesOnDevices(), ...held.map(({ gang, message }) => `${gang} is held back: ${message}`)],
    });
    return { ...view, recent: recentActs(this.decisions.latest) };
  }

  /** Where devices are what the kubelet gave, and where only what was chosen. */
  private notesOnDevices(): readonly string[] {
    const withDevices = this.world.nodes.filter(({ devices }) => devices !== undefined && devices.length > 0).length;
    const { reportingNodes } = this.world;
    return withDevices === 0 || reportingNodes === 0
      ? []
      : [
          `${reportingNodes} of ${withDevices} nodes with devices report which devices their pods have; on the others, devices are as chosen.`,
        ];
  }

  private waitingFor(): string {
    const { holder } = this.leader;
    if (this.leader.holds || holder === '') {
      return 'Nothing has been decided yet: the cluster is being read, or no replica leads.';
    }
    const pod = holder.replace(/_[0-9a-f]+$/, '');
    const { leaseNamespace, port } = this.options;
    return `This replica is on standby. ${holder} decides: look at its page (kubectl -n ${leaseNamespace} port-forward pod/${pod} ${port}).`;
  }

  private metricsText(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
