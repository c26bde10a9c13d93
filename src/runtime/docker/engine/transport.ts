/**
 * Requests to the Engine API over HTTP, wherever the engine listens.
 *
 * Version 1.41 of the API is what engine 20.10 has, and 29 still answers 1.44 and later: the version that both sides know is asked for once.
 */
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { addressText, type EngineAddress } from './address';
import { answerError, connectionError, EngineError } from './engine-error';
import { SshAgent } from './ssh';

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds until an answer begins. @default - 15 seconds for questions, 60 for changes */
  readonly patience?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds until an answer to a change begins. */
export const PATIENCE = 60_000;
const ANSWER = 15_000;
const NEWEST = [1, 51] as const;
const OLDEST = '1.41';
const LONGEST_ANSWER = 64 * 1024 * 1024;
const CONNECTIONS = { keepAlive: true, maxSockets: 32 } as const;

export class Transport {
  readonly name: string;
  private readonly agent: Agent;
  private version: Promise<string> | undefined;

  constructor(private readonly address: EngineAddress) {
    this.name = addressText(address);
    this.agent = agentOf(address);
  }

  async json<T>(ask: Ask): Promise<T> {
    return JSON.parse(await this.text(ask)) as T;
  }

  async text(ask: Ask): Promise<string> {
    return this.read(await this.open(ask));
  }

  /** @throws EngineError if there is no answer, or it is an error */
  async open(ask: Ask): Promise<IncomingMessage> {
    const prefix = ask.path === '/_ping' || ask.path === '/version' ? '' : `/v${await this.agreed()}`;
    const answer = await this.send({ ...ask, path: prefix + ask.path });
    const status = answer.statusCode ?? 0;
    if (status < 400) {
      return answer;
    }
    throw answerError(await this.read(answer), status);
  }

  close(): void {
    this.agent.destroy();
  }

  /** The newest version of the API that both sides know. */
  private agreed(): Promise<string> {
    this.version ??= this.json<{ ApiVersion?: string }>({ path: '/version', patience: 10_000 }).then(
      ({ ApiVersion = OLDEST }) => {
        const [major, minor] = ApiVersion.split('.').map(Number);
        return major === NEWEST[0] && minor < NEWEST[1] ? ApiVersion : NEWEST.join('.');
      },
    );
    this.version.catch(() => (this.version = undefined));
    return this.version;
  }

  private send({ method = 'GET', path, query = {}, body, patience, signal }: Ask): Promise<IncomingMessage> {
    const { address, agent } = this;
    const most = patience ?? (method === 'GET' ? ANSWER : PATIENCE);
    const search = new URLSearchParams(query).toString();
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      // A certificate is for the host of the address, and is compared with this name.
      ...(address.kind === 'tcp' ? {} : { Host: 'docker' }),
      ...(payload === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': payload.length }),
    };
    const options = { method, path: search === '' ? path : `${path}?${search}`, headers, signal, agent };
    return new Promise((resolve, reject) => {
      const take = (answer: IncomingMessage): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      const sent = requestTo(address, options, take);
      const timer = setTimeout(() => sent.destroy(new Error(`no response within ${most / 1000} s`)), most);
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(connectionError(this.name, error));
      });
      sent.end(payload);
    });
  }

  private async read(answer: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of answer) {
        size += (chunk as Buffer).length;
        if (size > LONGEST_ANSWER) {
          throw new EngineError(`the response is larger than ${LONGEST_ANSWER} bytes`, undefined);
        }
        chunks.push(chunk as Buffer);
      }
    } catch (error) {
      throw connectionError(this.name, error);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

function agentOf(address: EngineAddress): Agent {
  if (address.kind === 'ssh') {
    return new SshAgent(address, CONNECTIONS);
  }
  return address.kind === 'tcp' && address.tls !== undefined
    ? new TlsAgent({ ...CONNECTIONS, ...address.tls })
    : new Agent(CONNECTIONS);
}

function requestTo(
  address: EngineAddress,
  options: RequestOptions,
  take: (answer: IncomingMessage) => void,
): ClientRequest {
  switch (address.kind) {
    case 'unix':
      return httpRequest({ ...options, socketPath: address.socketPath }, take);
    case 'ssh':
      return httpRequest(options, take);
    case 'tcp': {
      const { host, port, tls } = address;
      return (tls === undefined ? httpRequest : httpsRequest)({ ...options, host, port }, take);
    }
  }
}
