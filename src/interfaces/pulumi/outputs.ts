/**
 * Outputs of Pulumi as this folder needs them: recognized in any form in which they reach a manifest, and settled to a value.
 */
import * as pulumi from '@pulumi/pulumi';
import { isPromise } from '../../manifests/values/deferred';
import { UNKNOWN } from '../../manifests/values/unknown';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';

/** Members of an Output that every copy of the SDK has and that its types leave out. */
export interface OutputState {
  readonly isKnown: Promise<boolean>;
  readonly isSecret: Promise<boolean>;
  promise(withUnknowns?: boolean): Promise<unknown>;
  /** Resources that the value comes from, as far as they are known without waiting. */
  resources(): ReadonlySet<pulumi.Resource>;
  allResources(): Promise<Set<pulumi.Resource>>;
}

export function stateOf(output: pulumi.Output<unknown>): OutputState {
  return output as unknown as OutputState;
}

/** An Output of any copy of the SDK, or a promise. */
export function isInput(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(value) || (typeof value === 'object' && value !== null && isPromise(value));
}

/** Own members of an Output, by which a map that an Output was spread into is recognized. */
const MEMBERS: ReadonlySet<string> = new Set([
  '__pulumiOutput',
  'resources',
  'allResources',
  'isKnown',
  'isSecret',
  'promise',
  'toString',
  'toJSON',
]);

/**
 * The map that `{ ...output, key: value }` means; `undefined` for a value without such members.
 *
 * @param outputUnder the Output whose value a key represents
 */
export function spreadOutput(
  value: object,
  outputUnder: (key: string) => pulumi.Output<unknown> | undefined,
): pulumi.Output<unknown> | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    return undefined;
  }
  const spread = value as Readonly<Record<string, unknown>>;
  const isSpread = pulumi.Output.isInstance(value);
  const parts: pulumi.Output<unknown>[] = [];
  for (const key of Object.keys(spread)) {
    const under = outputUnder(key) ?? (isSpread && key === '__pulumiOutput' ? whole(value) : undefined);
    if (under !== undefined) {
      parts.push(under);
    } else if (!isSpread || !MEMBERS.has(key)) {
      parts.push(pulumi.output({ [key]: spread[key] }));
    }
  }
  return isSpread || Object.keys(spread).some((key) => outputUnder(key) !== undefined)
    ? pulumi.all(parts).apply((maps) => Object.assign({}, ...maps) as object)
    : undefined;
}

/** The Output of whose members a copy consists. */
function whole(value: object): pulumi.Output<unknown> {
  const copy = value as unknown as OutputState;
  return outputOf(copy.resources(), copy.promise(true), copy.isKnown, copy.isSecret, copy.allResources());
}

type OutputConstructor = new (
  resources: ReadonlySet<pulumi.Resource>,
  promise: Promise<unknown>,
  isKnown: Promise<boolean>,
  isSecret: Promise<boolean>,
  allResources: Promise<Set<pulumi.Resource>>,
) => pulumi.Output<unknown>;

/** An Output from its parts. */
export function outputOf(...parts: ConstructorParameters<OutputConstructor>): pulumi.Output<unknown> {
  return new (pulumi.Output as unknown as OutputConstructor)(...parts);
}

/** Among the resources of an Output: an object of a stack. Pulumi ignores it, since it is neither a component nor a custom resource. */
const OF_A_STACK = Symbol.for('gantry.pulumi-object-of-a-stack');
const MARKER = { __pulumiResource: true, [OF_A_STACK]: true } as unknown as pulumi.Resource;

/** An Output whose value comes when a stack registers its objects, and that says so, as do outputs that are derived from it. */
export function laterOutput(later: Promise<pulumi.Output<unknown>>): pulumi.Output<unknown> {
  const state = later.then((output) => stateOf(pulumi.output(output)));
  return outputOf(
    new Set([MARKER]),
    state.then((found) => found.promise(true)),
    state.then((found) => found.isKnown),
    state.then((found) => found.isSecret),
    state.then((found) => found.allResources()),
  );
}

/** Whether the value comes from an object of a stack, as far as that is known without waiting. */
export function isOfAStack(output: pulumi.Output<unknown>): boolean {
  return [...stateOf(output).resources()].some((resource) => OF_A_STACK in resource);
}

/** What an Output came to. */
export interface Settled {
  /** The value as JSON; `undefined` where it has none; `UNKNOWN`, or unknown values inside, in a preview. */
  readonly value: JsonValue | undefined;
  readonly secret: boolean;
}

/**
 * Waits for the value of an Output.
 *
 * @throws if the value is not JSON
 */
export async function settle(output: pulumi.Output<unknown>, place: string): Promise<Settled> {
  const state = stateOf(output);
  const [value, known, secret] = await Promise.all([state.promise(true), state.isKnown, state.isSecret]);
  return { value: !known && !pulumi.containsUnknowns(value) ? UNKNOWN : jsonOf(value, place), secret };
}

function jsonOf(value: unknown, place: string): JsonValue | undefined {
  if (pulumi.isUnknown(value)) {
    return UNKNOWN;
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (Number.isFinite(value)) {
        return value;
      }
      break;
    case 'object':
      if (value === null) {
        return undefined;
      }
      if (Array.isArray(value)) {
        return value.map((item) => jsonOf(item, place) ?? null);
      }
      if (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null) {
        const result: JsonObject = {};
        for (const [key, member] of Object.entries(value)) {
          const json = jsonOf(member, place);
          if (json !== undefined) {
            result[key] = json;
          }
        }
        return result;
      }
      break;
    case 'bigint':
    case 'function':
    case 'symbol':
      break;
  }
  throw new pulumi.RunError(
    `${place}: the value of the Output cannot be converted to JSON. Use apply to convert it to a string, a number, a list, or a map.`,
  );
}
