/**
 * What a construct's props do not say of an object: as the construct's `overrides` where merging gets there, otherwise as JSON patches of
 * the rendered object.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { pointer } from '../../../manifests/pointer';
import { isObject } from '../../../manifests/read';
import { type Difference } from '../../difference/compare';
import { Call, type Expression, type Fields, fieldsOf, isFields, listOf, setOwn } from './expression';

/** Lists that `overrides` merge by a key of their items. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  resourceClaims: 'name',
  volumeMounts: 'mountPath',
};

/** The overrides that add or change what is wanted, as far as merging can. */
export function overridesFor(
  found: readonly Difference[],
  rendered: JsonObject,
  wanted: Expression,
  hasSpec: boolean,
): Fields | undefined {
  let overrides: Record<string, Expression> | undefined;
  for (const difference of found) {
    const path = hasSpec ? difference.path.slice(1) : difference.path;
    const inPart = hasSpec
      ? difference.path[0] === 'spec'
      : !['metadata', 'kind', 'apiVersion'].includes(path[0] ?? '');
    if (difference.before === undefined || !inPart || path.length === 0 || !isMerged(difference)) {
      continue;
    }
    overrides ??= {};
    place(overrides, path, hasSpec ? rendered.spec : rendered, expressionAt(wanted, difference.beforePath));
  }
  return overrides;
}

/** Merging replaces scalars and lists of scalars, and adds what is not there; it appends to other lists. */
function isMerged({ before: wanted, after: rendered, path }: Difference): boolean {
  if (path.includes('__proto__') || path.includes('constructor')) {
    return false;
  }
  return rendered === undefined || !Array.isArray(rendered) || (Array.isArray(wanted) && !wanted.some(isObject));
}

function place(
  overrides: Record<string, Expression>,
  path: readonly string[],
  rendered: JsonValue | undefined,
  value: Expression,
): void {
  const [name = '', index, ...rest] = path;
  if (index === undefined) {
    setOwn(overrides, name, value);
    return;
  }
  const inside = isObject(rendered) ? rendered[name] : undefined;
  if (!Array.isArray(inside)) {
    const member = { ...fieldsOf(overrides[name]) };
    place(member, [index, ...rest], inside, value);
    setOwn(overrides, name, member);
    return;
  }
  const item = inside[Number(index)];
  const key = LIST_KEYS[name];
  const id = key !== undefined && isObject(item) ? item[key] : undefined;
  if (key === undefined || typeof id !== 'string' || rest.length === 0) {
    // Not reached by merging; a JSON patch says it.
    return;
  }
  const items = listOf(overrides[name]).map((one) => ({ ...fieldsOf(one) }));
  const known = items.find((one) => one[key] === id);
  const target: Record<string, Expression> = known ?? { [key]: id };
  place(target, rest, item, value);
  setOwn(overrides, name, known === undefined ? [...items, target] : items);
}

/** JSON patches that make the rendered object the wanted one; removals of list items from the end. */
export function patchesFor(found: readonly Difference[], wanted: Expression): readonly Call[] {
  return found.map(({ path, beforePath, before: value, after: rendered }) => {
    const where = pointer('', ...path);
    if (value === undefined) {
      return new Call('JsonPatch.remove', [where]);
    }
    return new Call(rendered === undefined ? 'JsonPatch.add' : 'JsonPatch.replace', [
      where,
      expressionAt(wanted, beforePath),
    ]);
  });
}

function expressionAt(wanted: Expression, path: readonly string[]): Expression {
  let value = wanted;
  for (const token of path) {
    value = Array.isArray(value)
      ? (value as readonly Expression[])[Number(token)]
      : isFields(value) && Object.hasOwn(value, token)
        ? value[token]
        : undefined;
  }
  return value;
}

/** How many scalars an expression states. */
export function leaves(value: Expression): number {
  if (Array.isArray(value)) {
    return (value as readonly Expression[]).reduce<number>((sum, item) => sum + leaves(item), 0);
  }
  if (value instanceof Call) {
    return leaves([...value.args]);
  }
  if (isFields(value)) {
    return Object.values(value).reduce<number>((sum, item) => sum + leaves(item), 0);
  }
  return value === undefined ? 0 : 1;
}
