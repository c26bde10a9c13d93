/**
 * Compares what a program passes with the names of the props that there are. The type checker does the same, where there is one; from
 * JavaScript a misspelled prop would have no effect.
 */
import { insteadOf } from './instead-of';
import { CLASSES, SHAPES } from './known-props';

/** What a parameter or a prop takes. */
export interface Accepted {
  readonly isRequired: boolean;
  /** Letters of the kinds of values; empty where anything is accepted. */
  readonly kinds: string;
  /** Names of the classes and references that are accepted. */
  readonly classes: readonly string[];
  /** The strings that are accepted. Absent where any is. */
  readonly strings?: readonly string[];
}

/** A parameter of a constructor or method: its position and name, and the shape of the props if it takes any. */
export interface Parameter extends Accepted {
  readonly at: number;
  readonly name: string;
  readonly shape?: number;
}

/** The parameters of a constructor or method. */
export type Callable = readonly Parameter[];

export interface Prop extends Accepted {
  /** Shape of the value if it is an object. */
  readonly object?: number;
  /** Shape of the members if it is a list. */
  readonly list?: number;
  /** Shape of the values if it is a map of names that the program chooses. */
  readonly map?: number;
  /** What the members of the list or map are. Absent where anything is accepted. */
  readonly members?: Accepted;
}

const parsed = new Map<number, ReadonlyMap<string, Prop>>();
const PROP =
  /^(?<name>[\w$]+)(?<required>!?)(?:>(?<object>\d+))?(?:\[(?<list>\d+))?(?:\{(?<map>\d+))?(?:=(?<kinds>[a-z]+))?(?:@(?<classes>[\w+]+))?(?:#(?<strings>[^\s^]+))?(?:\^(?<memberKinds>[a-z]+)(?:@(?<memberClasses>[\w+]+))?(?:#(?<memberStrings>\S+))?)?$/;
const PARAMETER =
  /^(?<at>\d+)~(?<name>\w+)(?<required>!?)(?:>(?<shape>\d+))?(?:=(?<kinds>[a-z]+))?(?:@(?<classes>[\w+]+))?(?:#(?<strings>\S+))?$/;

/** The props of a shape, by name. */
export function shapeOf(index: number): ReadonlyMap<string, Prop> {
  let shape = parsed.get(index);
  if (shape === undefined) {
    shape = new Map(
      SHAPES[index].split(' ').flatMap((text): readonly [string, Prop][] => {
        const {
          name,
          required,
          object,
          list,
          map,
          kinds,
          classes,
          strings,
          memberKinds,
          memberClasses,
          memberStrings,
        } = PROP.exec(text)?.groups ?? {};
        const number = (digits: string | undefined): number | undefined =>
          digits === undefined ? undefined : Number(digits);
        const prop = {
          ...accepted(required, kinds, classes, strings),
          object: number(object),
          list: number(list),
          map: number(map),
          members: memberKinds === undefined ? undefined : accepted('', memberKinds, memberClasses, memberStrings),
        };
        return name === undefined ? [] : [[name, prop]];
      }),
    );
    parsed.set(index, shape);
  }
  return shape;
}

function accepted(required = '', kinds = '', classes?: string, strings?: string): Accepted {
  return {
    isRequired: required === '!',
    kinds,
    classes: classes?.split('+') ?? [],
    strings: strings?.split('|'),
  };
}

/** The constructor (`new`), static methods, and methods (`#name`) of a public class. */
export function propsOf(name: string): Readonly<Record<string, Callable>> {
  const text = Object.hasOwn(CLASSES, name) ? CLASSES[name] : '';
  return Object.fromEntries(
    text.split(' ').flatMap((member): readonly [string, Callable][] => {
      const [key, ...params] = member.split(/[:,]/);
      const callable = params.flatMap((param): Callable => {
        const { at, name: parameter, required, shape, kinds, classes, strings } = PARAMETER.exec(param)?.groups ?? {};
        return parameter === undefined
          ? []
          : [
              {
                ...accepted(required, kinds, classes, strings),
                at: Number(at),
                name: parameter,
                shape: shape === undefined ? undefined : Number(shape),
              },
            ];
      });
      return key === '' ? [] : [[key, callable]];
    }),
  );
}

/**
 * What is wrong with the props that a call was given, as clauses without a final full stop.
 *
 * @param isClosed whether the props themselves are known in full; otherwise only what is nested in them
 */
export function propProblems(callable: Callable = [], args: readonly unknown[], isClosed: boolean): readonly string[] {
  return callable.flatMap(({ at, shape }) =>
    shape === undefined || (args[at] === undefined && requiredOf(shape).length === 0)
      ? []
      : problemsOf(args[at] === undefined ? {} : args[at], shape, '', isClosed),
  );
}

/** The names of the props without which the call is refused. */
export function requiredOf(shape: number): readonly string[] {
  return [...shapeOf(shape)].flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
}

function problemsOf(value: unknown, shape: number, at: string, isClosed: boolean): readonly string[] {
  if (!isPlain(value)) {
    return [];
  }
  const known = shapeOf(shape);
  const within = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const missing = requiredOf(shape).filter((name) => value[name] === undefined);
  return [
    ...Object.entries(value).flatMap(([name, member]): readonly string[] => {
      const prop = known.get(name);
      if (prop !== undefined) {
        return nestedProblems(member, prop, within(name));
      }
      const isOfWorkload = known.has('podOverrides') && OF_THE_WORKLOAD.has(name);
      return member === undefined || !isClosed || isOfWorkload
        ? []
        : [`${at === '' ? '' : `${at}: `}unknown field "${name}"${instead(name, member, [...known.keys()], missing)}`];
    }),
    ...(missing.length > MOST_SEPARATE
      ? [`${missing.slice(0, -1).map(within).join(', ')}, and ${within(missing.at(-1) ?? '')} are required`]
      : missing.map((name) => `${within(name)} is required`)),
  ];
}

/** More missing props than this are one problem. */
const MOST_SEPARATE = 3;

/** Props of a workload that its pod templates must not have; the workload says which of its own props is meant. */
const OF_THE_WORKLOAD: ReadonlySet<string> = new Set(['scheduling', 'priorityClass']);

function instead(name: string, value: unknown, members: readonly string[], missing: readonly string[]): string {
  const time = name.replace(/Seconds(?=$|[A-Z])/, '');
  if (time !== name && members.includes(time)) {
    return `. Write ${time}: Duration.seconds(${typeof value === 'number' ? value : '…'})`;
  }
  return insteadOf(name, members, { missing }).replace(/\.$/, '');
}

function nestedProblems(value: unknown, { object, list, map }: Prop, at: string): readonly string[] {
  if (Array.isArray(value)) {
    return list === undefined
      ? []
      : value.flatMap((member, index) => problemsOf(member, list, `${at}[${index}]`, true));
  }
  if (map !== undefined && isPlain(value)) {
    return Object.entries(value).flatMap(([name, member]) => problemsOf(member, map, `${at}.${name}`, true));
  }
  return object === undefined ? [] : problemsOf(value, object, at, true);
}

/** Constructs, references, and other instances are not props. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
