/**
 * Which item of a list a fix means: the fix of a rule says `triggers[].type`, and that of a finding `triggers[0].type`.
 */
import { tokensOf } from '../../manifests/pointer';

/** A fix that is about several items. */
const SEVERAL = /\b(?:each|every|all|one of|only|other)\b/;

/** The fix with the indexes that the path has: `Set triggers[0].type` for `Set triggers[].type` at `/spec/triggers/0/type`. */
export function withIndexes(fix: string, path: string): string {
  if (!fix.includes('[].') || SEVERAL.test(fix)) {
    return fix;
  }
  const tokens = tokensOf(path);
  return fix.replace(/\b(\w+)\[\](?=\.)/g, (list, name: string) => {
    const index = tokens.includes(name) ? tokens[tokens.lastIndexOf(name) + 1] : undefined;
    return index !== undefined && /^\d+$/.test(index) ? `${name}[${index}]` : list;
  });
}
