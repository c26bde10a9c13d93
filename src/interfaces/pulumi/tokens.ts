/**
 * Tokens: strings that represent Outputs while constructs render.
 *
 * cdk8s and constructs take strings, numbers, and plain objects, so that an Output is replaced by a string when an object is rendered and
 * takes its place again in what is registered. A string that is one token is the whole value and keeps its type; a token inside a string
 * is text. A registry belongs to one app; nothing is shared between stacks.
 */
import { createHash } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';
import { type ApiObject, type IResolver, type ResolutionContext } from 'cdk8s';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type CarriedMap, containsDeferred, DeferredText } from '../../manifests/values/deferred';
import { pointer } from '../../manifests/pointer';
import { isInput, spreadOutput } from './outputs';

/** A value in place of a token: the Output, and where it is, for messages. */
export type Replace = (output: pulumi.Output<unknown>, path: string) => unknown;

interface Operation {
  readonly value?: unknown;
}

/** What cdk8s keeps of `addJsonPatch`. */
interface Patch {
  _toJson(): Operation;
}

/** The Outputs of one app, by their tokens. */
export class TokenRegistry implements IResolver {
  private readonly outputs = new Map<string, pulumi.Output<unknown>>();
  private readonly tokens = new WeakMap<object, string>();
  private readonly texts = new Map<string, pulumi.Output<string>>();
  private readonly tag: string;
  private readonly inside: RegExp;

  /** @param name name of the stack, which keeps the tokens of two stacks apart */
  constructor(name: string) {
    this.tag = createHash('sha256').update(name).digest('hex').slice(0, 8);
    this.inside = new RegExp(`pulumi-output-\\d+-${this.tag}`, 'g');
  }

  /** The token of an Output, the same one for the same Output. */
  tokenOf(value: pulumi.Input<unknown>): string {
    if (typeof value === 'string') {
      return value;
    }
    return this.tokens.get(value as object) ?? this.register(value as object, pulumi.output(value));
  }

  private register(holder: object, output: pulumi.Output<unknown>): string {
    const token = `pulumi-output-${this.outputs.size}-${this.tag}`;
    this.outputs.set(token, output);
    this.tokens.set(holder, token);
    return token;
  }

  /**
   * The members of a map, for code that copies them into another map. A whole map that is an Output is one member, under its token, so that
   * the copies of two such maps are different members.
   */
  membersOf(map: pulumi.Input<CarriedMap<string>>): Record<string, string> {
    if (!isInput(map)) {
      return map as Record<string, string>;
    }
    const token = this.tokenOf(map);
    return { [token]: token };
  }

  /** For cdk8s, which asks for each value that it renders. */
  resolve(context: ResolutionContext): void {
    const value: unknown = context.value;
    if (typeof value !== 'object' || value === null) {
      return;
    }
    if (value instanceof DeferredText) {
      context.replaceValue(this.tokens.get(value) ?? this.register(value, this.written(value)));
      return;
    }
    const spread = spreadOutput(value, (key) => this.outputs.get(key));
    if (spread !== undefined) {
      context.replaceValue(this.tokenOf(spread));
    } else if (isInput(value)) {
      context.replaceValue(this.tokenOf(value));
    }
  }

  /**
   * Puts tokens in the place of Outputs in the JSON patches of an object. cdk8s copies patches as JSON, after it has asked its resolvers.
   */
  inPatchesOf(object: ApiObject): void {
    const { patches = [] } = object as unknown as { readonly patches?: readonly Patch[] };
    for (const patch of patches) {
      const operation = patch._toJson();
      if (containsDeferred(operation.value)) {
        const value = this.withTokens(operation.value);
        patch._toJson = (): Operation => ({ ...operation, value });
      }
    }
  }

  private withTokens(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if (isInput(value)) {
      return this.tokenOf(value);
    }
    return Array.isArray(value)
      ? value.map((item) => this.withTokens(item))
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.withTokens(member)]));
  }

  private written({ source, write }: DeferredText): pulumi.Output<string> {
    const carried: unknown = this.resolved(source as JsonValue, (output) => output, '');
    return (pulumi.output(carried) as pulumi.Output<object>).apply((values) => write(values as never));
  }

  /**
   * Runs what builds and renders constructs. While it runs, `${output}` in a template literal is a token instead of Pulumi's message, and
   * a computation with an Output throws.
   */
  within<T>(build: () => T): T {
    const prototype = Object.getPrototypeOf(pulumi.output(0)) as object;
    const before = Object.getOwnPropertyDescriptor(prototype, Symbol.toPrimitive);
    const tokenOf = (output: pulumi.Output<unknown>): string => this.tokenOf(output);
    Object.defineProperty(prototype, Symbol.toPrimitive, {
      configurable: true,
      value(this: pulumi.Output<unknown>, hint: string): string {
        if (hint === 'number') {
          throw new TypeError(
            'An Output must not be used in a computation at synthesis, because it has no value yet. Compute in apply, or pass the number itself, for example from pulumi.Config.',
          );
        }
        return tokenOf(this);
      },
    });
    try {
      return build();
    } catch (error) {
      throw this.explained(error);
    } finally {
      if (before === undefined) {
        Reflect.deleteProperty(prototype, Symbol.toPrimitive);
      } else {
        Object.defineProperty(prototype, Symbol.toPrimitive, before);
      }
    }
  }

  /** An error of a construct that was given an Output where it looks at the value: its message quotes a token. */
  private explained(error: unknown): unknown {
    if (error instanceof Error && this.has(error.message)) {
      error.message = `${this.shown(error.message, 'an Output')} An Output has no value at synthesis. Pass the value itself, for example from pulumi.Config.`;
    }
    return error;
  }

  /** Whether a string contains a token of this registry. */
  has(text: string): boolean {
    return text.search(this.inside) >= 0;
  }

  /** A text for people, with `instead` in the place of each token. */
  shown(text: string, instead: string): string {
    return text.replace(this.inside, instead);
  }

  /** The Outputs in a rendered object. */
  outputsIn(json: JsonValue): readonly pulumi.Output<unknown>[] {
    const found: pulumi.Output<unknown>[] = [];
    this.resolved(json, (output) => found.push(output), '');
    return found;
  }

  /**
   * A copy of rendered JSON in which `replace` has put something in the place of each token. JSON without tokens is returned as it is.
   *
   * @throws if a token is a key of a map
   */
  resolved(json: JsonValue | undefined, replace: Replace, path: string): unknown {
    if (typeof json === 'string') {
      const output = this.outputOfText(json);
      return output === undefined ? json : replace(output, path);
    }
    if (typeof json !== 'object' || json === null) {
      return json;
    }
    if (isInput(json)) {
      return replace(pulumi.output(json), path);
    }
    let changed = false;
    const members = Object.entries(json as JsonObject).map(([key, member]) => {
      if (this.has(key)) {
        throw new Error(`${path} has a key that is an Output. Keys must be known at synthesis.`);
      }
      const next = this.resolved(member, replace, pointer(path, key));
      changed ||= next !== member;
      return [key, next] as const;
    });
    if (!changed) {
      return json;
    }
    return Array.isArray(json) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }

  /** The Output that a string with tokens means; `undefined` for a string without any. */
  private outputOfText(text: string): pulumi.Output<unknown> | undefined {
    const whole = this.outputs.get(text);
    if (whole !== undefined || !this.has(text)) {
      return whole;
    }
    let output = this.texts.get(text);
    if (output === undefined) {
      const tokens = [...text.matchAll(this.inside)].map(([token]) => token);
      const parts = text.split(this.inside);
      output = pulumi
        .all(tokens.map((token) => this.outputs.get(token) ?? pulumi.output(token)))
        .apply((values) =>
          parts.map((part, index) => `${part}${index < values.length ? textOf(values[index]) : ''}`).join(''),
        );
      this.texts.set(text, output);
    }
    return output;
  }
}

/** A value inside a string. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
