/**
 * One object of the stack: the construct that is declared for it, as code and in memory.
 */
import { ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type Built, type Call, classOf, type Declared, evaluate, type Expression } from './expression';
import { type MethodCall } from './proposal';

/** How an object is declared: as a construct, as an object of its type, or as an object of any shape. */
export type Form = 'construct' | 'typed' | 'plain';

/** How an object is declared; a declaration keeps its identity when this changes. */
export interface Declaring {
  form: Form;
  className: string;
  /** Arguments after scope and id. */
  args: readonly Expression[];
  calls: readonly MethodCall[];
  /** JSON patches of the rendered object. */
  patches: readonly Call[];
  /** Further objects that the construct renders. */
  covers: readonly Manifest[];
  /** Why an object of a covered kind is not a construct. @default - it is one, or its kind has none */
  why?: string;
}

export interface Declaration extends Declared, Declaring {
  readonly manifest: Manifest;
  readonly id: string;
  className: string;
}

/** A declaration in memory. */
export interface Made {
  readonly construct: Construct;
  readonly main: ApiObject;
  readonly others: readonly ApiObject[];
}

/**
 * Makes the construct of a declaration.
 *
 * @throws what the construct throws, or if it renders no object of the kind
 */
export function make(scope: Construct, declaration: Declaration, built: Built): Made {
  const { className, id, args, calls, patches, manifest } = declaration;
  try {
    const made = Reflect.construct(classOf(className), [
      scope,
      id,
      ...args.map((argument) => evaluate(argument, built)),
    ]) as Construct;
    for (const { method, args: given } of calls) {
      const member = (made as unknown as Record<string, unknown>)[method];
      Reflect.apply(
        member as (...values: readonly unknown[]) => unknown,
        made,
        given.map((argument) => evaluate(argument, built)),
      );
    }
    const objects = made.node.findAll().filter((child): child is ApiObject => ApiObject.isApiObject(child));
    const main = objects.find(
      ({ kind, apiVersion }) => kind === manifest.id.kind && apiVersion === manifest.id.apiVersion,
    );
    if (main === undefined) {
      throw new Error(`${className} renders no ${manifest.id.kind}`);
    }
    for (const patch of patches) {
      main.addJsonPatch(evaluate(patch, built) as Parameters<ApiObject['addJsonPatch']>[0]);
    }
    return { construct: made, main, others: objects.filter((object) => object !== main) };
  } catch (error) {
    scope.node.tryRemoveChild(id);
    throw error;
  }
}

export function render(object: ApiObject): JsonObject {
  return object.toJson() as JsonObject;
}
