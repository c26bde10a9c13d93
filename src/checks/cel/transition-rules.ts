/**
 * Evaluates the CEL rules of a CRD that compare an object with what it was, as the API server does on update.
 *
 * Such a rule is evaluated only where the server can tell which old value a new one replaces: members of objects and maps by their names,
 * items of keyed lists by their keys. Items of other lists have no old value.
 */
import { type CelRule, type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { pointer } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { hasRules, nodeOf, rulesOf, type SchemaNode } from '../schema/schema-node';
import { OBJECT_LIMIT } from '../../cel/cost';
import { optionalOf } from '../../cel/opaque';
import { programOf } from '../../cel/rule-program';
import { whyUnjudged } from '../../cel/unjudged';
import { CelValues } from './values';

/** An update that a rule of the CRD rejects. */
export interface BrokenTransition {
  /** JSON pointer of the value in the new object. */
  readonly path: string;
  /** Text of the rule. */
  readonly rule: string;
}

/** The rules that reject the update, each at its place; both objects with defaults, as the server would store them. */
export function brokenTransitions(before: JsonObject, after: JsonObject, schema: Schema): readonly BrokenTransition[] {
  const walk = new TransitionWalk();
  walk.values(before, after, nodeOf(schema), '');
  return walk.broken;
}

class TransitionWalk {
  readonly broken: BrokenTransition[] = [];
  private readonly known = new CelValues();
  private budget = OBJECT_LIMIT;

  values(before: JsonValue, after: JsonValue, node: SchemaNode, path: string): void {
    if (before === null || after === null || !hasRules(node.schema)) {
      return;
    }
    for (const rule of rulesOf(node.schema)) {
      if (this.breaks(rule, before, after, node, path === '')) {
        this.broken.push({ path, rule: rule.rule });
      }
    }
    if (Array.isArray(before) && Array.isArray(after)) {
      this.items(before, after, node, path);
    } else if (isObject(before) && isObject(after)) {
      for (const [name, value] of Object.entries(after)) {
        const child = node.child(name) ?? node.values;
        if (child !== undefined && Object.hasOwn(before, name)) {
          this.values(before[name], value, child, pointer(path, name));
        }
      }
    }
  }

  private items(
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    { listType, items, schema }: SchemaNode,
    path: string,
  ): void {
    if (listType !== 'map' || items === undefined) {
      return;
    }
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const keyOf = (item: JsonValue): string => JSON.stringify(isObject(item) ? keys.map((key) => item[key]) : item);
    const old = new Map(before.map((item) => [keyOf(item), item]));
    after.forEach((item, index) => {
      const one = old.get(keyOf(item));
      if (one !== undefined) {
        this.values(one, item, items, pointer(path, index));
      }
    });
  }

  private breaks(rule: CelRule, before: JsonValue, after: JsonValue, node: SchemaNode, isRoot: boolean): boolean {
    const program = programOf(rule.rule);
    if (typeof program === 'string' || !program.usesOldSelf || this.budget < 0) {
      return false;
    }
    const valueOf = (value: JsonValue): ReturnType<CelValues['of']> =>
      isRoot && isObject(value) ? this.known.ofRoot(value, node) : this.known.of(value, node);
    const old = valueOf(before);
    const outcome = program.run(valueOf(after), rule.optionalOldSelf === true ? optionalOf(old) : old);
    this.budget -= outcome.cost;
    return 'error' in outcome ? whyUnjudged(outcome.error) === undefined : outcome.value !== true;
  }
}
