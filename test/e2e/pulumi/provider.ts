/**
 * A minimal `kubernetes` provider, on the protocol of the npm package: server-side apply against the API server of the tests.
 *
 * The provider of the project cannot be had from a module proxy. This one does what the engine must see of it: secrets come back as
 * secrets, what the cluster gives is unknown in a create preview, reads return live values, and a definition just created is found.
 */
import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import * as messages from '@pulumi/pulumi/proto/provider_pb';
import { ResourceProviderService } from '@pulumi/pulumi/proto/provider_grpc_pb';
import { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, asString, isObject } from '../../../src/manifests/read';
import { type ApiClient, type Reply } from '../control-plane/api-client';
import { collectionPath, Discovery } from '../control-plane/discovery';

/** Marks a secret, and an unknown value, on the wire. */
const SIGNATURE = '4dabf18193072939515e22adb298388d';
const SECRET = '1b47061264138c4ac30d75fd1eb44270';
const UNKNOWN = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
/** With what the server does a moment later, milliseconds. */
const PATIENCE = 120_000;
/** What the cluster writes into metadata. */
const WRITTEN = ['uid', 'resourceVersion', 'creationTimestamp', 'generation'] as const;

export interface RunningProvider {
  readonly port: number;
  stop(): void;
}

/**
 * Serves the provider on loopback.
 *
 * @param client the API server; a provider for previews alone does without
 */
export function startProvider(client?: ApiClient): Promise<RunningProvider> {
  const server = new Server();
  server.addService(ResourceProviderService, new Provider(client).methods());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve({ port, stop: () => server.forceShutdown() }) : reject(error),
    );
  });
}

class Provider {
  private kinds: Promise<Discovery> | undefined;

  constructor(private readonly cluster: ApiClient | undefined) {}

  private get client(): ApiClient {
    if (this.cluster === undefined) {
      throw new Error('this provider has no cluster: it serves previews alone');
    }
    return this.cluster;
  }

  /** What the engine asks of a provider of typed resources; it does without the rest. */
  methods(): UntypedServiceImplementation {
    return {
      checkConfig: answering((request: messages.CheckRequest) => this.checked(request)),
      diffConfig: answering(() => new messages.DiffResponse()),
      configure: answering(() => this.configured()),
      check: answering((request: messages.CheckRequest) => this.checked(request)),
      diff: answering((request: messages.DiffRequest) => this.diff(request)),
      create: answering((request: messages.CreateRequest) => this.create(request)),
      read: answering((request: messages.ReadRequest) => this.read(request)),
      update: answering((request: messages.UpdateRequest) => this.update(request)),
      delete: answering((request: messages.DeleteRequest) => this.delete(request)),
      getPluginInfo: answering(() => new PluginInfo().setVersion('4.32.0')),
      cancel: answering(() => new Empty()),
      attach: answering(() => new Empty()),
    };
  }

  private configured(): messages.ConfigureResponse {
    return new messages.ConfigureResponse()
      .setAcceptsecrets(true)
      .setSupportspreview(true)
      .setAcceptresources(true)
      .setAcceptoutputs(false);
  }

  private checked(request: messages.CheckRequest): messages.CheckResponse {
    return new messages.CheckResponse().setInputs(request.getNews());
  }

  private diff(request: messages.DiffRequest): messages.DiffResponse {
    const news = plain(request.getNews());
    const olds = plain(request.getOldInputs() ?? request.getOlds());
    const response = new messages.DiffResponse();
    const { DiffChanges } = messages.DiffResponse;
    const changed = Object.keys({ ...olds, ...news }).filter(
      (key) => JSON.stringify(news[key]) !== JSON.stringify(olds[key]),
    );
    response.setDiffsList(changed);
    response.setChanges(changed.length === 0 ? DiffChanges.DIFF_NONE : DiffChanges.DIFF_SOME);
    if (JSON.stringify(identity(news)) !== JSON.stringify(identity(olds))) {
      response.setReplacesList(['metadata']);
    }
    return response;
  }

  private async create(request: messages.CreateRequest): Promise<messages.CreateResponse> {
    const inputs = inputsOf(request.getProperties());
    const response = new messages.CreateResponse();
    if (request.getPreview()) {
      const metadata = { ...asObject(inputs.metadata), ...Object.fromEntries(WRITTEN.map((key) => [key, UNKNOWN])) };
      return response.setProperties(this.struct({ ...inputs, metadata }));
    }
    const live = await this.apply(inputs);
    return response.setId(idOf(live)).setProperties(this.struct(stored(inputs, live)));
  }

  private async update(request: messages.UpdateRequest): Promise<messages.UpdateResponse> {
    const inputs = inputsOf(request.getNews());
    const response = new messages.UpdateResponse();
    if (request.getPreview()) {
      return response.setProperties(this.struct(inputs));
    }
    return response.setProperties(this.struct(stored(inputs, await this.apply(inputs))));
  }

  private async read(request: messages.ReadRequest): Promise<messages.ReadResponse> {
    const inputs = inputsOf(request.getInputs() ?? request.getProperties());
    const { status, body } = await this.client.request('GET', await this.pathOf(withoutSecrets(inputs) as JsonObject));
    const response = new messages.ReadResponse();
    if (status === 404) {
      return response;
    }
    const seen = projected(inputs, body) as JsonObject;
    return response
      .setId(request.getId())
      .setInputs(this.struct(seen))
      .setProperties(this.struct(stored(seen, body)));
  }

  private async delete(request: messages.DeleteRequest): Promise<Empty> {
    const path = await this.pathOf(plain(request.getProperties()));
    const { status, body } = await this.client.request('DELETE', path);
    if (status >= 400 && status !== 404) {
      throw refused(body);
    }
    for (const deadline = Date.now() + PATIENCE; (await this.client.request('GET', path)).status !== 404;) {
      if (Date.now() > deadline) {
        throw new Error(`${path} is still there after ${PATIENCE / 1000} s`);
      }
      await sleep(50);
    }
    return new Empty();
  }

  private async apply(inputs: JsonObject): Promise<JsonObject> {
    const object = withoutSecrets(inputs) as JsonObject;
    const path = `${await this.pathOf(object)}?fieldManager=pulumi&force=true`;
    let reply: Reply;
    const deadline = Date.now() + PATIENCE;
    // A definition is served a moment after it was created. A namespace that is missing will not come.
    while (isNotServed((reply = await this.patch(path, object))) && Date.now() < deadline) {
      await sleep(100);
    }
    if (reply.status >= 400) {
      throw refused(reply.body);
    }
    return reply.body;
  }

  private patch(path: string, object: JsonObject): Promise<Reply> {
    return this.client.request('PATCH', path, { body: object, contentType: 'application/apply-patch+yaml' });
  }

  private async pathOf(object: JsonObject): Promise<string> {
    const apiVersion = asString(object.apiVersion) ?? '';
    const kind = asString(object.kind) ?? '';
    const { name, namespace } = asObject(object.metadata);
    for (const deadline = Date.now() + PATIENCE; ;) {
      this.kinds ??= Discovery.read(this.client);
      const served = (await this.kinds).get(apiVersion, kind);
      if (served !== undefined) {
        return `${collectionPath(served, asString(namespace) ?? 'default')}/${asString(name) ?? ''}`;
      }
      if (Date.now() > deadline) {
        throw new Error(`the server has no kind ${apiVersion} ${kind}`);
      }
      await sleep(100);
      this.kinds = undefined;
    }
  }

  private struct(value: JsonObject): Struct {
    return Struct.fromJavaScript(value);
  }
}

/** Whether the server does not know the path; otherwise it names what it does not find. */
function isNotServed({ status, body }: Reply): boolean {
  return status === 404 && asObject(body.details).kind === undefined;
}

/** A method of the service. */
function answering<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
): (call: ServerUnaryCall<Request, Response>, done: sendUnaryData<Response>) => void {
  return ({ request }, done) => {
    Promise.resolve()
      .then(() => answer(request))
      .then(
        (response) => done(null, response),
        (error: unknown) => done({ code: 2, message: (error as Error).message }),
      );
  };
}

function inputsOf(struct: Struct | undefined): JsonObject {
  return struct?.toJavaScript() ?? {};
}

function plain(struct: Struct | undefined): JsonObject {
  return withoutSecrets(inputsOf(struct)) as JsonObject;
}

function isSecret(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && value[SIGNATURE] === SECRET;
}

function withoutSecrets(value: JsonValue): JsonValue {
  if (isSecret(value)) {
    return withoutSecrets(value.value ?? null);
  }
  if (Array.isArray(value)) {
    return value.map(withoutSecrets);
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSecrets(member)]))
    : value;
}

/** The live values of what was written, secrets still wrapped; what others wrote is left out. */
function projected(written: JsonValue, live: JsonValue | undefined): JsonValue {
  if (isSecret(written)) {
    return { ...written, value: live === undefined ? (written.value ?? null) : live };
  }
  if (Array.isArray(written) && Array.isArray(live) && written.length === live.length) {
    return written.map((item, index) => projected(item, live[index]));
  }
  if (isObject(written) && isObject(live)) {
    return Object.fromEntries(
      Object.keys(written).flatMap((key) =>
        key === 'stringData' || Object.hasOwn(live, key) ? [[key, projected(written[key] ?? null, live[key])]] : [],
      ),
    );
  }
  return live ?? written;
}

/** What the engine keeps: the inputs with what the cluster wrote. */
function stored(inputs: JsonObject, live: JsonObject): JsonObject {
  const metadata = asObject(live.metadata);
  const written = Object.fromEntries(WRITTEN.flatMap((key) => (key in metadata ? [[key, metadata[key] ?? null]] : [])));
  return {
    ...inputs,
    metadata: { ...asObject(inputs.metadata), ...written },
    ...(live.status === undefined ? {} : { status: live.status }),
  };
}

function identity(object: JsonObject): readonly unknown[] {
  const { name, namespace } = asObject(object.metadata);
  return [object.apiVersion, object.kind, namespace ?? null, name ?? null];
}

function idOf(object: JsonObject): string {
  const { name, namespace } = asObject(object.metadata);
  return [asString(namespace), asString(name)].filter((part) => part !== undefined).join('/');
}

function refused(body: JsonObject): Error {
  return new Error(`the server refused the object: ${asString(body.message) ?? JSON.stringify(body)}`);
}
