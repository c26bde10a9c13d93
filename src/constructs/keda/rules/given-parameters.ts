/**
 * What is known to be given for the parameters of a trigger, and what a demand on them says.
 */
import { kedaScaler } from '../../../facts/api/keda-scalers';
import { type JsonObject } from '../../../facts/api/schema';
import { parseGoBool } from '../../../manifests/values/go-boolean';
import { asObject, asString } from '../../../manifests/read';
import { type AuthenticationView, givenBy } from './authentication-view';

/** What is wrong, at which parameter. */
export interface Complaint {
  readonly key?: string;
  readonly message: string;
  readonly fix: string;
}

export interface Given {
  /** The trimmed text of a parameter; empty where there is none. */
  readonly text: (key: string) => string;
  /** The trimmed text of a parameter, or the value of the variable that it is read from; empty where neither is known. */
  readonly resolved: (key: string) => string;
  /** Whether the text is one of Go's words for true. */
  readonly isTrue: (key: string) => boolean;
  /** Whether the metadata sets the value, or a variable or the authentication can set it. */
  readonly has: (key: string) => boolean;
  /** Whether its value is known to be missing. */
  readonly lacks: (...keys: readonly string[]) => boolean;
  /** Whether the value goes into a formula, so that no target of its own is needed. */
  readonly isModified: boolean;
  /** Whether the identity of a pod may replace credentials. */
  readonly isIdentified: boolean;
}

export type Demand = (given: Given) => Iterable<Complaint>;

export function isTrue(text: string): boolean {
  return parseGoBool(text) === true;
}

export function givenIn(
  type: string,
  metadata: JsonObject,
  authentication: AuthenticationView | undefined,
  isModified: boolean,
  variable: (name: string) => string | undefined = () => undefined,
): Given {
  const parameters = kedaScaler(type)?.parameters ?? [];
  const namesOf = (key: string): readonly string[] => {
    const parameter = parameters.find(({ name, alternatives = [] }) => name === key || alternatives.includes(key));
    return parameter === undefined ? [key] : [parameter.name, ...(parameter.alternatives ?? [])];
  };
  const may = (key: string, from: 'fromMetadata' | 'fromEnv'): boolean =>
    parameters.find(({ name, alternatives = [] }) => name === key || alternatives.includes(key))?.[from] !== false;
  const value = (key: string): string => asString(metadata[key])?.trim() ?? '';
  const here = (key: string): boolean =>
    (value(key) !== '' && may(key, 'fromMetadata')) || (value(`${key}FromEnv`) !== '' && may(key, 'fromEnv'));
  const { spec } = authentication ?? {};
  /** The authentication can come before the variable. */
  const fromVariable = (key: string): string =>
    may(key, 'fromEnv') && (authentication === undefined || givenBy(authentication, key) === 'no')
      ? (variable(value(`${key}FromEnv`))?.trim() ?? '')
      : '';
  return {
    text: value,
    resolved: (key) => value(key) || fromVariable(key),
    isTrue: (key) => isTrue(value(key)),
    has: (key) => here(key) || (authentication !== undefined && givenBy(authentication, key) === 'yes'),
    isModified,
    isIdentified:
      authentication !== undefined && (spec === undefined || asObject(spec.podIdentity).provider !== undefined),
    lacks: (...keys) =>
      keys
        .flatMap(namesOf)
        .every((key) => !here(key) && (authentication === undefined || givenBy(authentication, key) === 'no')),
  };
}
