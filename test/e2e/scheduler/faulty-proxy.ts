/**
 * A proxy between the scheduler and the API server that does what networks and servers do on bad days: answers with errors, loses
 * answers, takes too long, cuts watches, refuses to go on with one.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';

/**
 * - a number: this status, and the request is not passed on
 * - `lost`: the request is passed on, and the answer is lost
 * - `slow`: the request is passed on, and the answer takes longer than anybody waits
 * - `gone`: a watch is answered with 410
 */
export type Fault = number | 'lost' | 'slow' | 'gone';

/** Says what goes wrong with a request, perhaps after something else was done; `undefined`: nothing. */
export type Trouble = (method: string, path: string) => Fault | undefined | Promise<Fault | undefined>;

export class FaultyProxy {
  /** What was done, by fault. */
  readonly counts = new Map<Fault, number>();
  trouble: Trouble = () => undefined;
  /** Called with the status of each answer of the API server. */
  answered: (method: string, path: string, status: number) => void = () => undefined;
  readonly kubeconfig: string;
  private readonly watches = new Set<ServerResponse>();
  private readonly agent: Agent;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private readonly token: string,
    certificate: string,
    private readonly folder: string,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: 256, ca: certificate, checkServerIdentity: () => undefined });
    this.kubeconfig = join(folder, 'kubeconfig');
    const { port } = server.address() as AddressInfo;
    writeFileSync(
      this.kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'proxy',
        contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
        clusters: [
          { name: 'proxy', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
        ],
        users: [{ name: 'proxy', user: {} }],
      }),
    );
  }

  static async start(kubeconfig: string): Promise<FaultyProxy> {
    const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as JsonObject;
    const cluster = asObject(asObject(asArray(config.clusters)[0]).cluster);
    const user = asObject(asObject(asArray(config.users)[0]).user);
    const certificate = Buffer.from(asString(cluster['certificate-authority-data']) ?? '', 'base64').toString();
    const server = createServer((request, response) => void proxy.pass(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const folder = mkdtempSync(join(tmpdir(), 'gantry-proxy-'));
    const proxy: FaultyProxy = new FaultyProxy(
      server,
      asString(cluster.server) ?? '',
      asString(user.token) ?? '',
      certificate,
      folder,
    );
    return proxy;
  }

  /** Breaks all watches, as a network does: without a word. */
  cutWatches(): number {
    const cut = this.watches.size;
    this.watches.forEach((response) => response.destroy());
    return cut;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.agent.destroy();
    await new Promise<void>((done) => this.server.close(() => done()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const isWatch = url.includes('watch=1');
    const fault = await this.trouble(isWatch ? 'WATCH' : method, url);
    if (fault !== undefined) {
      this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    }
    if (typeof fault === 'number' || fault === 'gone') {
      request.resume();
      refuse(response, fault === 'gone' ? 410 : fault);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const headers = { ...request.headers, host: new URL(this.target).host, authorization: `Bearer ${this.token}` };
    const call = httpsRequest(`${this.target}${url}`, { method, headers, agent: this.agent }, (reply) => {
      this.answered(isWatch ? 'WATCH' : method, url, reply.statusCode ?? 0);
      if (fault === 'lost') {
        reply.resume().on('end', () => response.destroy());
        return;
      }
      if (fault === 'slow') {
        reply.resume();
        setTimeout(() => response.destroy(), 20_000).unref();
        return;
      }
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      if (isWatch) {
        response.flushHeaders();
        this.watches.add(response);
      }
      reply.pipe(response);
      reply.on('error', () => response.destroy());
      reply.on('aborted', () => response.destroy());
    });
    call.on('error', () => response.destroy());
    response.on('close', () => {
      this.watches.delete(response);
      if (isWatch) {
        call.destroy();
      }
    });
    call.end(Buffer.concat(chunks));
  }
}

const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
};

function refuse(response: ServerResponse, code: number): void {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `made up: ${REASONS[code] ?? code}`,
    reason: REASONS[code] ?? '',
    code,
  };
  response.writeHead(code, { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) });
  response.end(JSON.stringify(status));
}
