/**
 * What every public class, and every public function, does when a program calls it: props that do not exist are errors, also without a type checker, and mistakes are
 * collected under a command that synthesizes.
 */
import { Construct, type IConstruct } from 'constructs';
import { collectCall } from '../../checks/synth/mistakes';
import { printUnknownMembers } from '../../checks/synth/uncaught';
import { setFunctionCalls } from '../../facts/calls/public-function';
import { addPublicName } from '../../facts/calls/public-names';
import { kindProblems, missedProps } from './kind-problems';
import { type Callable, propProblems, propsOf, shapeOf } from './prop-problems';
import { withArticle } from '../../facts/words';

/** Any class, also one whose constructor is private. */
type AnyClass = { readonly prototype: object };
type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Makes a class public. The class is replaced by a proxy of itself: `instanceof`, static members, and subclasses work as before.
 *
 * Only calls of the program are looked at, not those of the package. A subclass of the program may have props of its own, so only what
 * is nested in its props is compared with the known names.
 *
 * @param name as a program writes it: `volcano.Queue`
 */
export function publicClass(name: string): <Class extends AnyClass>(target: Class) => Class {
  const props = propsOf(name);
  return (target) => {
    addPublicName(name, target);
    wrapMembers(target, props, { prefix: '', title: name }, () => undefined);
    wrapMembers(target.prototype, props, { prefix: '#' }, (self) => (isConstruct(self) ? self : undefined));
    const proxy: typeof target = new Proxy(target, {
      construct(_target, args: unknown[], newTarget: NewableFunction): object {
        const [scope, id] = args;
        let made: object | undefined;
        const isOwn = Object.is(newTarget, proxy);
        return collectCall({
          args,
          path: () =>
            isConstruct(scope)
              ? [scope.node.path, id].filter((part) => typeof part === 'string' && part !== '').join('/')
              : undefined,
          name: `new ${name}`,
          problems: () => [
            ...takenId(scope, id, props.new),
            ...missedProps(props.new, args),
            ...propProblems(props.new, args, isOwn),
          ],
          kindProblems: () => kindProblems(props.new, args, isOwn),
          construct: () => (made === undefined ? placeOf(scope, id) : isConstruct(made) ? made : undefined),
          run: () => (made = Reflect.construct(target as unknown as NewableFunction, args, newTarget) as object),
        }) as object;
      },
    });
    return proxy;
  };
}

/** What is left of a construct whose constructor failed; an empty construct in its place if it failed before it was added to the tree. */
function placeOf(scope: unknown, id: unknown): IConstruct | undefined {
  if (!isConstruct(scope)) {
    return undefined;
  }
  return typeof id !== 'string' || id === '' ? scope : (scope.node.tryFindChild(id) ?? new Construct(scope, id));
}

/** Whether the id is that of another construct of the scope, as a clause. */
function takenId(scope: unknown, id: unknown, [, , props]: Callable = []): readonly string[] {
  if (!isConstruct(scope) || typeof id !== 'string' || id === '') {
    return [];
  }
  const other = scope.node.tryFindChild(id);
  if (other === undefined) {
    return [];
  }
  const hasName = props?.shape !== undefined && shapeOf(props.shape).has('name');
  const keep = hasName ? `, and set name: "${id}" if both objects have this name in the cluster` : '';
  return [
    `duplicate id "${id}": the scope has ${withArticle(other.constructor.name)} of this id. Use another id${keep}`,
  ];
}

/** Wraps the static members of a class, or those of its prototype. */
function wrapMembers(
  holder: object,
  props: Readonly<Record<string, Callable>>,
  { prefix, title }: { readonly prefix: string; readonly title?: string },
  construct: (self: unknown) => IConstruct | undefined,
): void {
  for (const [key, member] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
    if (key === 'constructor' || key === 'prototype' || member.configurable !== true) {
      continue;
    }
    const wrap = (run: Method, known: Callable = []): Method =>
      function (this: unknown, ...args) {
        return collectCall({
          args,
          path: () => construct(this)?.node.path,
          name: title === undefined ? undefined : `${title}.${key}`,
          problems: () => [...missedProps(known, args), ...propProblems(known, args, true)],
          kindProblems: () => kindProblems(known, args, true),
          construct: () => construct(this),
          run: () => run.apply(this, args),
        });
      };
    if (typeof member.value === 'function' && !isClass(member.value as object)) {
      const known = props[`${prefix}${key}`];
      member.value = Object.defineProperty(wrap(member.value as Method, known), 'name', { value: key });
    } else if (member.get !== undefined) {
      member.get = wrap(Reflect.get(member, 'get') as Method);
    }
    Object.defineProperty(holder, key, member);
  }
}

function isClass(value: object): boolean {
  return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}

/** By its node, since it may be of another copy of constructs, or inert. */
function isConstruct(value: unknown): value is IConstruct {
  const isObject = (typeof value === 'object' || typeof value === 'function') && value !== null;
  return isObject && 'node' in value && typeof (value.node as { addValidation?: unknown }).addValidation === 'function';
}

setFunctionCalls(({ name, args, run }) => {
  const { call = [] } = propsOf(name);
  return collectCall({
    args,
    name,
    problems: () => [...missedProps(call, args), ...propProblems(call, args, true)],
    kindProblems: () => kindProblems(call, args, true),
    run,
  });
});

printUnknownMembers();
