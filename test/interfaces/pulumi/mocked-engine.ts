/**
 * An engine for unit tests: what a program registers, in memory.
 */
import * as pulumi from '@pulumi/pulumi';

export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface MockedEngine {
  readonly registered: readonly Registered[];
  /** The resource whose name ends so. */
  find(name: string): Registered;
}

/** @param unknownStatus the cluster's members are unknown, as in a preview */
export async function mockedEngine(preview = false): Promise<MockedEngine> {
  const registered: Registered[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
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
  return {
    registered,
    find: (name) => {
      const found = registered.find((one) => one.name.endsWith(name));
      if (found === undefined) {
        throw new Error(`${name} was not registered; registered are ${registered.map((one) => one.name).join(', ')}`);
      }
      return found;
    },
  };
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
