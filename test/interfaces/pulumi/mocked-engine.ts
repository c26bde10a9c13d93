/**
 * An engine for unit tests: what a program registers, in memory.
 */
import * as pulumi from '@pulumi/pulumi';
import { type RegisterResourceRequest } from '@pulumi/pulumi/proto/resource_pb';

export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Options with which a resource was registered. */
export interface RegisteredOptions {
  readonly protect: boolean;
  readonly retainOnDelete: boolean;
  readonly ignoreChanges: readonly string[];
  readonly replaceOnChanges: readonly string[];
  readonly deleteBeforeReplace: boolean;
  readonly provider: string;
  readonly importId: string;
  readonly dependencies: readonly string[];
  readonly createTimeout: string | undefined;
  /** Names and URNs under which the state may have the resource. */
  readonly aliases: readonly string[];
}

export interface MockedEngine {
  readonly registered: readonly Registered[];
  /** The resource whose name ends so. */
  find(name: string): Registered;
  /** Options of the resource whose name ends so. */
  optionsOf(name: string): RegisteredOptions;
}

/** What the SDK calls for each resource. */
interface Monitor {
  registerResource(request: RegisterResourceRequest, done: unknown): unknown;
}

/**
 * @param preview the cluster's members are unknown, as in a preview
 * @param slow what each resource of another provider takes to be created
 */
export async function mockedEngine(preview = false, slow?: () => Promise<void>): Promise<MockedEngine> {
  const registered: Registered[] = [];
  const options = new Map<string, RegisteredOptions>();
  await pulumi.runtime.setMocks(
    {
      newResource: async ({ type, name, inputs }) => {
        if (type.startsWith('test:')) {
          await slow?.();
          return { id: name, state: inputs as object };
        }
        registered.push({ type, name, inputs: inputs as Readonly<Record<string, unknown>> });
        const { metadata, ...rest } = inputs as { readonly metadata?: object };
        return preview
          ? { id: undefined, state: inputs as object }
          : { id: `id-of-${name}`, state: { ...rest, metadata: { ...metadata, uid: `uid-of-${name}` } } };
      },
      call: () => ({}),
    },
    'project',
    'stack',
    preview,
  );
  // The mocks are not given the options.
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request, done) => {
    options.set(request.getName(), {
      protect: request.getProtect() ?? false,
      retainOnDelete: request.getRetainondelete() ?? false,
      ignoreChanges: request.getIgnorechangesList(),
      replaceOnChanges: request.getReplaceonchangesList(),
      deleteBeforeReplace: request.getDeletebeforereplace(),
      provider: request.getProvider(),
      importId: request.getImportid(),
      dependencies: request.getDependenciesList(),
      createTimeout: request.getCustomtimeouts()?.getCreate(),
      aliases: request.getAliasesList().map((alias) => {
        const spec = alias.getSpec();
        return spec === undefined ? alias.getUrn() : spec.getName() || spec.getType();
      }),
    });
    return register(request, done);
  };
  const find = (name: string): Registered => {
    const found = registered.find((one) => one.name.endsWith(name));
    if (found === undefined) {
      throw new Error(`${name} was not registered; registered are ${registered.map((one) => one.name).join(', ')}`);
    }
    return found;
  };
  return { registered, find, optionsOf: (name) => options.get(find(name).name) as RegisteredOptions };
}

/** The value of an Output. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

/** An Output that has no value in a preview. */
export function unknownOutput<T>(): pulumi.Output<T> {
  const constructor = pulumi.Output as unknown as new (...parts: readonly unknown[]) => pulumi.Output<T>;
  return new constructor(
    new Set(),
    Promise.resolve(pulumi.unknown),
    Promise.resolve(false),
    Promise.resolve(false),
    Promise.resolve(new Set()),
  );
}

const SIGNATURE = '4dabf18193072939515e22adb298388d';

/** Inputs without the wrapping of secrets. */
export function unwrapped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(unwrapped);
  }
  if (SIGNATURE in value && 'value' in value) {
    return unwrapped(value.value);
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapped(member)]));
}
