/**
 * The agent, put together: it observes, judges, publishes, and shows its metrics, again and again.
 */
import { join } from 'node:path';
import { type DestinationStream } from 'pino';
import {
  GANTRY_ACCELERATOR_CAPACITY,
  GANTRY_ALLOCATED_DEVICES,
  GANTRY_DEVICE_TOPOLOGY,
} from '../../facts/catalog/gantry-names';
import { ApiClient } from '../api/client';
import { pause } from '../api/backoff';
import { type Clock, ServerClock, SYSTEM_CLOCK } from '../api/clock';
import { admissionFrom } from '../api/credentials';
import { type Log, makeLog } from '../api/log';
import { NvidiaToolReader, runNvidiaTool } from './devices/nvidia-tool';
import { Face } from './face';
import { HostFiles } from './host/host-files';
import { allocatedDevices, withHolders } from './judge/allocated';
import { CapacityReporter, DEFAULT_CAPACITY_OPTIONS, renewalOf } from './judge/capacity';
import { type Condition, Judge } from './judge/conditions';
import { deviceTopology } from './judge/topology';
import { DEVICE_PLUGINS_FOLDER } from './kubelet/device-plugins';
import { POD_RESOURCES_SOCKET, PodResources } from './kubelet/pod-resources';
import { Metrics } from './metrics';
import { type Observation, observe } from './observation';
import { type Options } from './options';
import { Publisher } from './publisher';

/** Of one source, milliseconds. */
const SOURCE_TIMEOUT = 5000;
/** Observations that may be missed before the agent counts as hanging. */
const MISSED_UNTIL_UNHEALTHY = 6;

type Client = Pick<ApiClient, 'request' | 'close'>;

/** What is outside of the program; a test puts its own in its place. */
export interface Outside {
  /** @default - the API server that the options name */
  readonly client?: Client;
  /** @default - standard output */
  readonly logTo?: DestinationStream;
  readonly clock?: Clock;
}

export class Program {
  /** Where it serves. */
  port = 0;
  private readonly metrics = new Metrics();
  private readonly judge: Judge;
  private readonly capacity: CapacityReporter;
  private readonly publisher: Publisher;
  private readonly face: Face;
  private readonly host: HostFiles;
  private readonly podResources: PodResources;
  private readonly nvidiaTool: NvidiaToolReader | undefined;
  private readonly ending = new AbortController();
  private observedAt: number | undefined;
  private told = '';

  private constructor(
    private readonly options: Options,
    private readonly client: Client,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly serverClock: ServerClock,
  ) {
    this.capacity = new CapacityReporter({ ...DEFAULT_CAPACITY_OPTIONS, renewal: renewalOf(options.node) });
    this.host = new HostFiles(options.hostRoot);
    this.podResources = new PodResources(join(options.hostRoot, POD_RESOURCES_SOCKET));
    const { nvidiaSmi } = options;
    this.nvidiaTool =
      nvidiaSmi === undefined ? undefined : new NvidiaToolReader(runNvidiaTool(nvidiaSmi), () => clock.monotonic());
    this.judge = new Judge(options.expected);
    this.publisher = new Publisher({
      client,
      node: options.node,
      monotonic: () => clock.monotonic(),
      now: () => serverClock.now(),
      onPatch: (failure) => {
        this.metrics.patches.inc({ outcome: failure === undefined ? 'written' : 'failed' });
        if (failure !== undefined) {
          log.warn({ message: failure }, 'the Node was not updated');
        }
      },
      onEventFailure: (failure) => log.warn({ message: failure }, 'an event was not written'),
    });
    this.face = new Face({
      address: options.address,
      port: options.port,
      isHealthy: () => this.isHealthy,
      isReady: () => this.observedAt !== undefined,
      metrics: () => this.metrics.page(),
    });
  }

  /**
   * Starts, and says the port on which it serves.
   * @throws where no API server is known, or the port is taken
   */
  static async start(options: Options, outside: Outside = {}): Promise<Program> {
    const clock = outside.clock ?? SYSTEM_CLOCK;
    const serverClock = new ServerClock(clock);
    const log = makeLog('info', outside.logTo);
    const client =
      outside.client ??
      new ApiClient({
        admission: await admissionFrom(options.kubeconfig),
        connections: 2,
        userAgent: 'gantry-node-agent',
        onDate: (date, took) => serverClock.observe(date, took),
      });
    const program = new Program(options, client, log, clock, serverClock);
    program.port = await program.face.listen();
    log.info({ node: options.node, address: options.address, port: program.port }, 'started');
    void program.run();
    return program;
  }

  async stop(why: string): Promise<void> {
    this.log.info({ why }, 'stopping');
    this.ending.abort();
    await this.face.close();
    this.client.close();
    this.podResources.close();
    this.host.kept.close();
  }

  private get isHealthy(): boolean {
    const since = this.observedAt ?? 0;
    return this.clock.monotonic() - since < MISSED_UNTIL_UNHEALTHY * this.options.interval * 1000;
  }

  private async run(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const started = this.clock.monotonic();
      await this.once();
      const rest = this.options.interval * 1000 - (this.clock.monotonic() - started);
      await pause(Math.max(0, rest), this.ending.signal);
    }
  }

  private async once(): Promise<void> {
    const { hostRoot, exporters, dryRun, expected } = this.options;
    const observation = await observe({
      host: this.host,
      exporters,
      podResources: this.podResources,
      // It explains missing devices, and is not mounted where none are expected.
      ...(expected.devices.size > 0 && { devicePlugins: join(hostRoot, DEVICE_PLUGINS_FOLDER) }),
      nvidiaTool: this.nvidiaTool === undefined ? undefined : () => this.nvidiaTool!.read(),
      timeout: SOURCE_TIMEOUT,
      now: () => this.serverClock.now(),
    });
    const conditions = this.judge.judge(observation);
    this.metrics.see(observation, conditions, this.judge.throttledPods);
    this.observedAt = this.clock.monotonic();
    this.tell(conditions, observation);
    if (!dryRun) {
      await this.publisher.publish({
        annotations: {
          [GANTRY_ACCELERATOR_CAPACITY]: this.capacity.report(withHolders(observation), observation.at),
          [GANTRY_ALLOCATED_DEVICES]: allocatedDevices(observation),
          [GANTRY_DEVICE_TOPOLOGY]: deviceTopology(observation),
        },
        conditions,
      });
    }
  }

  /** Logs the conditions when one of them changes. */
  private tell(conditions: readonly Condition[], { failures }: Observation): void {
    const text = JSON.stringify([conditions.map(({ type, status }) => [type, status]), failures]);
    if (text !== this.told) {
      this.told = text;
      this.log.info({ conditions, failures }, 'conditions');
    }
  }
}
