/**
 * Asks kube-scheduler on which nodes a pod may run, and does not let it run anywhere.
 *
 * A scheduler of its own name and with an extender: after its own filters it shows the extender all nodes that passed them, and the
 * extender, which only takes notes, takes none. So one attempt of one pod gives the whole set, and the cluster stays as it is.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString, stringsIn } from '../../../src/manifests/read';
import { type ProcessRecord, stopProcess } from '../control-plane/process';
import { startKubeScheduler } from './kube-scheduler';
import { type Lab, nameOf } from './lab';

export const JUDGE = 'judge';

export class Judge {
  private readonly notes = new Map<string, readonly string[]>();

  private scheduler: ProcessRecord | undefined;

  private constructor(
    private readonly lab: Lab,
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  static async start(lab: Lab): Promise<Judge> {
    const server = createServer((request, response) => void judge.note(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const folder = mkdtempSync(join(tmpdir(), 'gantry-judge-'));
    const judge: Judge = new Judge(lab, server, folder);
    const config = join(folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'KubeSchedulerConfiguration',
        clientConnection: { kubeconfig: lab.kubeconfig, qps: 1000, burst: 1000 },
        leaderElection: { leaderElect: false },
        podInitialBackoffSeconds: 1,
        profiles: [{ schedulerName: JUDGE }],
        extenders: [
          {
            urlPrefix: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            filterVerb: 'filter',
            nodeCacheCapable: true,
            weight: 1,
          },
        ],
      }),
    );
    judge.scheduler = startKubeScheduler(config, folder);
    return judge;
  }

  /** Names of the nodes, in order. */
  async feasible(pod: JsonObject): Promise<readonly string[]> {
    this.notes.delete(nameOf(pod));
    await this.lab.create(pod);
    const path = `/api/v1/namespaces/${asString(asObject(pod.metadata).namespace) ?? 'default'}/pods/${nameOf(pod)}`;
    await this.lab.until(`a verdict on ${nameOf(pod)}`, async () => {
      const conditions = asArray(asObject((await this.lab.get(path))?.status).conditions).map(asObject);
      return conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'False');
    });
    await this.lab.delete(path);
    return [...(this.notes.get(nameOf(pod)) ?? [])].sort();
  }

  async stop(): Promise<void> {
    if (this.scheduler !== undefined) {
      await stopProcess(this.scheduler);
    }
    this.server.closeAllConnections();
    await new Promise<void>((done) => this.server.close(() => done()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async note(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
    const [pod, names] = [asked.Pod ?? asked.pod, asked.NodeNames ?? asked.nodenames];
    const nodes = stringsIn(names);
    this.notes.set(nameOf(asObject(pod)), nodes);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ NodeNames: [], FailedNodes: Object.fromEntries(nodes.map((node) => [node, 'noted'])) }),
    );
  }
}
