/**
 * A Kubernetes control plane on this machine's loopback: fresh folder, free ports, gone without a trace when it is stopped.
 *
 * Everything that has to be known to stop it is in its folder's `state.json`, so that a later program can clean up after one that
 * crashed.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, type Endpoint } from './api-client';
import { type Programs } from './build';
import { MODULE_FOLDER } from './components';
import { isRunning, killProcess, ownRecord, startProcess, stopProcess, tail, type ProcessRecord } from './process';
import { forget, remember } from './started';

export interface ClusterOptions {
  readonly programs: Programs;
  /**
   * Run beside etcd and the API server. Without the controller manager no ServiceAccounts are made, and their admission is off.
   * @default - none
   */
  readonly extra?: readonly ('kube-controller-manager' | 'kube-scheduler' | 'kwok')[];
  /** @default - the version's own */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** What `--runtime-config` switches on beside the default API versions. @default - every beta version */
  readonly serve?: readonly string[];
  /**
   * Names of nodes whose kubelets may connect, with the rights of a node and no other; `kubeletToken` has the token of each.
   * @default - none; nodes are objects only
   */
  readonly kubelets?: readonly string[];
  /** Note every request in `auditLog`: who, what, and what the server said. @default false */
  readonly audit?: boolean;
  /**
   * Leave it running when this program ends.
   * @default false
   */
  readonly outliveProgram?: boolean;
}

interface State {
  readonly processes: readonly ProcessRecord[];
  readonly endpoint: Endpoint;
  /** Absent where the control plane is to outlive the program that started it. */
  readonly owner?: ProcessRecord;
}

/** Gantry knows beta versions as served, and cannot know which a cluster has switched off. */
const BETA_VERSIONS = ['api/beta'];
const FOLDER_PREFIX = 'gantry-control-plane-';
const STATE = 'state.json';
const AUDIT_LOG = 'audit.log';
const TOKENS = 'tokens.csv';
/** A cold start on a busy machine takes several times the usual three seconds. */
const START_LIMIT = 180_000;

export class Cluster {
  readonly client: ApiClient;
  private constructor(
    readonly folder: string,
    private state: State,
  ) {
    this.client = new ApiClient(state.endpoint);
  }

  /** A cluster that another program, or an earlier one, started; `undefined` where the folder holds none that runs. */
  static open(folder: string): Cluster | undefined {
    const state = readState(folder);
    return state !== undefined && state.processes.length > 0 && state.processes.every(isRunning)
      ? new Cluster(folder, state)
      : undefined;
  }

  /** The clusters on this machine that run. */
  static running(): readonly Cluster[] {
    return clusterFolders().flatMap((folder) => Cluster.open(folder) ?? []);
  }

  /**
   * Starts a control plane and waits until it is ready.
   * @throws where a component ends or is not ready in time, with the end of its log
   */
  static async start(options: ClusterOptions): Promise<Cluster> {
    await stopAbandoned();
    const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
    if (options.outliveProgram !== true) {
      remember(folder, () => stopFolder(folder));
    }
    const launch = new Launch(folder, options);
    try {
      return new Cluster(folder, await launch.run());
    } catch (error) {
      await stopFolder(folder);
      throw error;
    }
  }

  get kubeconfig(): string {
    return join(this.folder, 'kubeconfig');
  }

  /** One JSON event per line, where the cluster was started with `audit`. */
  get auditLog(): string {
    return join(this.folder, AUDIT_LOG);
  }

  /** Started to outlive the program that started it. */
  get isByHand(): boolean {
    return this.state.owner === undefined;
  }

  get processes(): readonly ProcessRecord[] {
    return this.state.processes;
  }

  get endpoint(): Endpoint {
    return this.state.endpoint;
  }

  /** The token of a node's kubelet. @throws where the cluster was started without it */
  kubeletToken(node: string): string {
    const line = readFileSync(join(this.folder, TOKENS), 'utf8')
      .split('\n')
      .find((one) => one.split(',')[1] === `system:node:${node}`);
    if (line === undefined) {
      throw new Error(`The control plane knows no kubelet of ${node}.`);
    }
    return line.split(',')[0];
  }

  /** Ends a component at once, as a crash would. */
  async kill(name: keyof Programs): Promise<void> {
    await killProcess(this.component(name));
  }

  /**
   * Starts a component again that was killed, with the same arguments.
   * @throws where the API server is not ready in time
   */
  async restart(name: keyof Programs): Promise<void> {
    const { command, log } = this.component(name);
    if (command === undefined) {
      throw new Error(`${name} was not started here.`);
    }
    const record = startProcess(name, command.program, command.args, log, command.cwd);
    this.state = { ...this.state, processes: this.processes.map((one) => (one.name === name ? record : one)) };
    writeState(this.folder, this.state);
    for (
      const deadline = Date.now() + START_LIMIT;
      name === 'kube-apiserver' && !(await answersReady(this.state.endpoint));
      await sleep(100)
    ) {
      if (Date.now() > deadline) {
        throw new Error(`The API server was not ready within ${START_LIMIT / 1000} s:\n${tail(log)}`);
      }
    }
  }

  async stop(): Promise<void> {
    this.client.close();
    await stopFolder(this.folder);
  }

  private component(name: keyof Programs): ProcessRecord {
    const found = this.processes.find((record) => record.name === name);
    if (found === undefined) {
      throw new Error(`The control plane has no ${name}.`);
    }
    return found;
  }
}

/** Stops every control plane that was started to outlive its program, whole or not, and says which. */
export async function stopThoseByHand(): Promise<readonly string[]> {
  const folders = clusterFolders().filter((folder) => {
    const state = readState(folder);
    return state !== undefined && state.owner === undefined;
  });
  for (const folder of folders) {
    await stopFolder(folder);
  }
  return folders;
}

/** Stops what programs that no longer run have left behind. */
export async function stopAbandoned(): Promise<void> {
  for (const folder of clusterFolders()) {
    const state = readState(folder);
    const abandoned =
      state === undefined
        ? false
        : state.owner === undefined
          ? !state.processes.some(isRunning)
          : !isRunning(state.owner);
    if (abandoned) {
      await stopFolder(folder);
    }
  }
}

async function stopFolder(folder: string): Promise<void> {
  forget(folder);
  const processes = readState(folder)?.processes ?? [];
  // Last started first: a component without its server only fills its log with errors.
  for (const record of [...processes].reverse()) {
    await stopProcess(record);
  }
  rmSync(folder, { recursive: true, force: true });
}

function clusterFolders(): readonly string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(FOLDER_PREFIX))
    .map((name) => join(tmpdir(), name));
}

/** `undefined` where there is none, or none any more: another program may stop the cluster at any moment. */
function readState(folder: string): State | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, STATE), 'utf8')) as State;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** One start, step by step. The state is written after each, since any of them may be the last. */
class Launch {
  private readonly processes: ProcessRecord[] = [];
  private readonly token = randomBytes(24).toString('hex');
  private endpoint: Endpoint = { url: '', token: this.token, certificate: '' };

  constructor(
    private readonly folder: string,
    private readonly options: ClusterOptions,
  ) {}

  async run(): Promise<State> {
    const [etcdClient, etcdPeer, secure, kwok] = await freePorts(4);
    this.writeState();
    const etcdUrl = `http://127.0.0.1:${etcdClient}`;
    this.startEtcd(etcdUrl, `http://127.0.0.1:${etcdPeer}`);
    this.startApiServer(etcdUrl, secure);
    await this.untilReady();
    this.writeKubeconfig();
    for (const extra of this.options.extra ?? []) {
      this.startExtra(extra, kwok);
    }
    return this.writeState();
  }

  private startEtcd(clientUrl: string, peerUrl: string): void {
    this.start('etcd', [
      `--data-dir=${join(this.folder, 'etcd')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ]);
  }

  private startApiServer(etcdUrl: string, port: number): void {
    const { featureGates, serve, extra, audit, kubelets = [] } = this.options;
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const privateKey = this.write('service-account.key', keys.privateKey);
    const publicKey = this.write('service-account.pub', keys.publicKey);
    const ofKubelets = kubelets.map(
      (node) => `${randomBytes(24).toString('hex')},system:node:${node},${node},system:nodes\n`,
    );
    const tokens = this.write(TOKENS, `${this.token},admin,admin,system:masters\n${ofKubelets.join('')}`);
    mkdirSync(join(this.folder, 'certificates'));
    this.start('kube-apiserver', [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(this.folder, 'certificates')}`,
      // There is no other server to agree with, and a loopback address is refused as an endpoint.
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${privateKey}`,
      `--service-account-key-file=${publicKey}`,
      `--token-auth-file=${tokens}`,
      ...(kubelets.length === 0
        ? ['--authorization-mode=RBAC']
        : ['--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction']),
      '--allow-privileged=true',
      '--enable-priority-and-fairness=false',
      ...(extra?.includes('kube-controller-manager') === true ? [] : ['--disable-admission-plugins=ServiceAccount']),
      `--runtime-config=${(serve ?? BETA_VERSIONS).map((version) => `${version}=true`).join(',')}`,
      ...(audit === true ? this.auditFlags() : []),
      ...(featureGates === undefined
        ? []
        : [
            `--feature-gates=${Object.entries(featureGates)
              .map(([gate, on]) => `${gate}=${on}`)
              .join(',')}`,
          ]),
    ]);
    this.endpoint = { ...this.endpoint, url: `https://127.0.0.1:${port}` };
  }

  /** Once per request, when it is over, or when a watch begins. */
  private auditFlags(): readonly string[] {
    const policy = {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata' }],
    };
    return [
      `--audit-policy-file=${this.write('audit-policy.yaml', JSON.stringify(policy))}`,
      `--audit-log-path=${join(this.folder, AUDIT_LOG)}`,
    ];
  }

  private startExtra(name: 'kube-controller-manager' | 'kube-scheduler' | 'kwok', kwokPort: number): void {
    const kubeconfig = `--kubeconfig=${join(this.folder, 'kubeconfig')}`;
    switch (name) {
      case 'kube-controller-manager':
        this.start(name, [
          kubeconfig,
          '--secure-port=0',
          '--leader-elect=false',
          '--use-service-account-credentials=false',
          `--service-account-private-key-file=${join(this.folder, 'service-account.key')}`,
          `--root-ca-file=${join(this.folder, 'certificates', 'apiserver.crt')}`,
        ]);
        break;
      case 'kube-scheduler':
        this.start(name, [kubeconfig, '--secure-port=0', '--leader-elect=false']);
        break;
      case 'kwok':
        this.start(name, [
          kubeconfig,
          `--config=${join(MODULE_FOLDER, 'kwok-stages.yaml')}`,
          '--manage-all-nodes=true',
          // Renewed leases keep the controller manager from taking the nodes for lost.
          '--node-lease-duration-seconds=40',
          `--server-address=127.0.0.1:${kwokPort}`,
        ]);
        break;
    }
  }

  private async untilReady(): Promise<void> {
    const certificate = join(this.folder, 'certificates', 'apiserver.crt');
    for (const deadline = Date.now() + START_LIMIT; ; await sleep(100)) {
      const ended = this.processes.find((record) => !isRunning(record));
      if (ended !== undefined) {
        throw new Error(`${ended.name} ended while starting:\n${tail(ended.log)}`);
      }
      if (existsSync(certificate)) {
        this.endpoint = { ...this.endpoint, certificate: readFileSync(certificate, 'utf8') };
        if (await answersReady(this.endpoint)) {
          return;
        }
      }
      if (Date.now() > deadline) {
        throw new Error(
          `The API server was not ready within ${START_LIMIT / 1000} s:\n${tail(this.processes.at(-1)!.log)}`,
        );
      }
    }
  }

  private writeKubeconfig(): void {
    // JSON is YAML, and kubectl reads it.
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'gantry',
      contexts: [{ name: 'gantry', context: { cluster: 'gantry', user: 'admin' } }],
      clusters: [
        {
          name: 'gantry',
          cluster: {
            server: this.endpoint.url,
            'certificate-authority-data': Buffer.from(this.endpoint.certificate).toString('base64'),
          },
        },
      ],
      users: [{ name: 'admin', user: { token: this.token } }],
    };
    this.write('kubeconfig', `${JSON.stringify(config, undefined, 2)}\n`);
  }

  private start(name: keyof Programs, args: readonly string[]): void {
    this.processes.push(
      startProcess(name, this.options.programs[name], args, join(this.folder, `${name}.log`), this.folder),
    );
    this.writeState();
  }

  private write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  private writeState(): State {
    const { processes, endpoint } = this;
    const state: State = {
      processes: [...processes],
      endpoint,
      ...(this.options.outliveProgram === true ? {} : { owner: ownRecord() }),
    };
    writeState(this.folder, state);
    return state;
  }
}

function writeState(folder: string, state: State): void {
  const fresh = join(folder, `${STATE}.new`);
  writeFileSync(fresh, JSON.stringify(state, undefined, 2), { mode: 0o600 });
  renameSync(fresh, join(folder, STATE));
}

async function answersReady(endpoint: Endpoint): Promise<boolean> {
  const client = new ApiClient(endpoint);
  try {
    return (await client.request('GET', '/readyz', { timeout: 5000 })).status === 200;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  return ports;
}
