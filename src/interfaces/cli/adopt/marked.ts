/**
 * An object as an expression, with references in place of the names of other objects.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { pointer } from '../../../manifests/pointer';
import { type Expression, type Reference, setOwn } from './expression';

/** Keys that an object literal or cdk8s takes for something else. */
const HOSTILE = new Set(['__proto__', 'constructor']);

/** A copy of JSON with references at these pointers; hostile keys are left out unless they are asked for. */
export function marked(
  value: JsonValue,
  names: ReadonlyMap<string, Reference>,
  path: string,
  leavesOutHostile = true,
): Expression {
  if (Array.isArray(value)) {
    return value.map((item, index) => marked(item, names, `${path}/${index}`, leavesOutHostile));
  }
  if (typeof value !== 'object' || value === null) {
    const target = names.size === 0 ? undefined : names.get(path);
    // The name may be one of several in the value.
    return target !== undefined && target.name === value ? target : value;
  }
  const fields: Record<string, Expression> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== null && !(leavesOutHostile && HOSTILE.has(name))) {
      setOwn(fields, name, marked(member, names, pointer(path, name), leavesOutHostile));
    }
  }
  return fields;
}
