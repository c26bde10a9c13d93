/**
 * A real node: kubelet, containerd, and a bridge network in namespaces of their own, registered with the control plane of a lab.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { isRunning, ownRecord, type ProcessRecord, startProcess, stopProcess } from '../control-plane/process';
import { forget, remember } from '../control-plane/started';
import { forgetCluster, watchCluster } from '../evidence';
import { type Lab } from '../scheduler/lab';
import {
  CONTAINERD_SOCKET,
  containerdConfiguration,
  kubeletConfiguration,
  networkConfiguration,
  NODE_ADDRESS,
  SERVICE_ADDRESS,
} from './configuration';
import { forwarder } from './forwarder';
import { writeImages } from './images';
import { endNamespaces, type InnerProcess, Namespaces } from './namespaces';
import { type NodePrograms } from './programs';

export const NODE = 'node-1';
const PREFIX = 'gantry-node-';
const STATE = 'state.json';

export interface LiveNodeOptions {
  readonly programs: NodePrograms;
  /** The image that is made of this machine's Node.js. */
  readonly nodeImage: string;
  /** @default - none besides the kubelet's own */
  readonly labels?: Readonly<Record<string, string>>;
}

export class LiveNode {
  private readonly running = new Map<string, InnerProcess>();
  /** The way to the API server, which goes on when the node has no power. */
  private wire: InnerProcess | undefined;

  private constructor(
    private readonly lab: Lab,
    private readonly programs: NodePrograms,
    private readonly labels: Readonly<Record<string, string>>,
    readonly namespaces: Namespaces,
    private readonly outer: ProcessRecord,
  ) {}

  /** Starts the node, and waits until it is ready for pods. */
  static async start(lab: Lab, { programs, nodeImage, labels = {} }: LiveNodeOptions): Promise<LiveNode> {
    await stopAbandonedNodes();
    const folder = mkdtempSync(join(tmpdir(), PREFIX));
    writeFileSync(join(folder, STATE), JSON.stringify({ owner: ownRecord() }));
    const addresses = [`${SERVICE_ADDRESS}/32`, `${NODE_ADDRESS}/32`];
    const namespaces = await Namespaces.start(folder, programs.pause, addresses).catch(async (error: unknown) => {
      await removeFolder(folder);
      throw error;
    });
    const { host } = new URL(lab.cluster.endpoint.url);
    const log = join(folder, 'forwarder-outside.log');
    const outer = startProcess('forwarder', process.execPath, forwarder(socketIn(folder), host), log, folder);
    writeFileSync(join(folder, STATE), JSON.stringify({ owner: ownRecord(), started: [namespaces.outer, outer] }));
    const node = new LiveNode(lab, programs, labels, namespaces, outer);
    remember(folder, () => node.stop());
    watchCluster(folder);
    try {
      await node.launch(nodeImage);
    } catch (error) {
      await node.stop();
      throw error;
    }
    return node;
  }

  get folder(): string {
    return this.namespaces.folder;
  }

  private async launch(nodeImage: string): Promise<void> {
    const { namespaces, folder, programs } = this;
    const forward = forwarder(`${SERVICE_ADDRESS}:443`, socketIn(folder));
    this.wire = await namespaces.run('forwarder', process.execPath, forward);
    mkdirSync(join(folder, 'network'));
    this.write('network/10-pods.conflist', networkConfiguration());
    this.write('containerd.toml', containerdConfiguration(programs, join(folder, 'network')));
    await this.startContainerd();
    const images = join(folder, 'images');
    mkdirSync(images);
    for (const image of writeImages(images, programs.pause, nodeImage)) {
      this.ctr('images', 'import', image);
    }
    rmSync(images, { recursive: true });
    this.write('resolv.conf', 'nameserver 10.96.0.10\n');
    this.write('kubelet.yaml', kubeletConfiguration(join(folder, 'resolv.conf')));
    this.write('kubelet.kubeconfig', this.kubeconfig(this.lab.cluster.kubeletToken(NODE)));
    await this.startKubelet();
    await this.lab.nodesReady(1);
  }

  /** Starts it, and waits until it answers. */
  async startContainerd(): Promise<void> {
    const env = { PATH: `${this.programs.shims}:${process.env.PATH ?? ''}` };
    await this.startProgram(
      'containerd',
      this.programs.containerd,
      ['--config', join(this.folder, 'containerd.toml')],
      env,
    );
    await this.lab.until('containerd answers', () => Promise.resolve(this.answers()));
  }

  async startKubelet(): Promise<void> {
    const labels = Object.entries(this.labels).map(([key, value]) => `${key}=${value}`);
    await this.startProgram('kubelet', this.programs.kubelet, [
      `--config=${join(this.folder, 'kubelet.yaml')}`,
      `--kubeconfig=${join(this.folder, 'kubelet.kubeconfig')}`,
      `--hostname-override=${NODE}`,
      `--node-ip=${NODE_ADDRESS}`,
      ...(labels.length === 0 ? [] : [`--node-labels=${labels.join(',')}`]),
      '--v=2',
    ]);
  }

  /** A device plugin that offers `nvidia.com/gpu`. */
  startDevicePlugin(devices = 8): Promise<void> {
    return this.startProgram('device-plugin', this.programs.devicePlugin, [`--devices=${devices}`]);
  }

  /** A driver of dynamic resource allocation, `gpu.example.com`. @param token one that may publish slices and read claims */
  startClaimDriver(token: string, devices = 8): Promise<void> {
    const kubeconfig = this.write('claim-driver.kubeconfig', this.kubeconfig(token));
    return this.startProgram('claim-driver', this.programs.claimDriver, [
      `--node=${NODE}`,
      `--kubeconfig=${kubeconfig}`,
      `--devices=${devices}`,
    ]);
  }

  /** Starts a program in the namespaces of the node, outside of pods. */
  async startProgram(
    name: string,
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    this.running.set(name, await this.namespaces.run(name, program, args, env));
  }

  /** Ends all programs and containers at once, with everything that is not on its disk. Nothing starts again by itself. */
  async losePower(): Promise<void> {
    this.running.clear();
    await this.namespaces.losePower(...(this.wire === undefined ? [] : [this.wire]));
  }

  /** Ends one of the programs at once, as a crash would. */
  async kill(name: string): Promise<void> {
    const found = this.running.get(name);
    if (found === undefined) {
      throw new Error(`The node runs no ${name}.`);
    }
    this.running.delete(name);
    await this.namespaces.kill(found);
  }

  /** What a container wrote, without the time stamps of the runtime. */
  log(pod: JsonObject, container = 'main'): string {
    const { namespace, name, uid } = asObject(pod.metadata);
    const folder = join(
      this.folder,
      `var/log/pods/${asString(namespace)}_${asString(name)}_${asString(uid)}`,
      container,
    );
    return readdirOf(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('')
      .split('\n')
      .map((line) => line.split(' ').slice(3).join(' '))
      .join('\n');
  }

  /** The answer of a page inside of the node's network. */
  fetch(
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): { readonly status: number; readonly text: string } {
    const program = `fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} }).then(async (answer) =>
      console.log(JSON.stringify({ status: answer.status, text: await answer.text() })))`;
    return JSON.parse(this.namespaces.ask(process.execPath, '-e', program)) as { status: number; text: string };
  }

  /** Ends everything, and removes what was made. */
  async stop(): Promise<void> {
    forget(this.folder);
    forgetCluster(this.folder);
    await this.namespaces.stop();
    await stopProcess(this.outer);
    await removeFolder(this.folder);
  }

  private answers(): boolean {
    try {
      this.ctr('version');
      return true;
    } catch {
      return false;
    }
  }

  private ctr(...words: readonly string[]): string {
    return this.namespaces.ask(this.programs.ctr, '-a', CONTAINERD_SOCKET, '-n', 'k8s.io', ...words);
  }

  private kubeconfig(token: string): string {
    const config = JSON.parse(readFileSync(this.lab.kubeconfig, 'utf8')) as JsonObject;
    const [cluster] = asArray(config.clusters).map(asObject);
    const [user] = asArray(config.users).map(asObject);
    return JSON.stringify({
      ...config,
      clusters: [{ ...cluster, cluster: { ...asObject(cluster.cluster), server: `https://${SERVICE_ADDRESS}:443` } }],
      users: [{ ...user, user: { token } }],
    });
  }

  private write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }
}

/** Ends the nodes of programs that ended without doing so. */
export async function stopAbandonedNodes(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    const { owner, started = [] } = readState(folder);
    if (owner !== undefined && !isRunning(owner)) {
      const [namespaces, ...others] = started;
      await endNamespaces(folder, namespaces);
      await Promise.all(others.map((record) => stopProcess(record)));
      await removeFolder(folder);
    }
  }
}

interface State {
  readonly owner?: ProcessRecord;
  /** The holder of the namespaces comes first. */
  readonly started?: readonly ProcessRecord[];
}

function readState(folder: string): State {
  try {
    return JSON.parse(readFileSync(join(folder, STATE), 'utf8')) as State;
  } catch {
    return {};
  }
}

/** Sockets have short paths. */
function socketIn(folder: string): string {
  return join(folder, 'server.sock');
}

/** The mounts of a namespace that ended are released a moment later. */
async function removeFolder(folder: string): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; await sleep(100)) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
    }
  }
}

function readdirOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
