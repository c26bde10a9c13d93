/**
 * What to write for a value or a key that breaks a requirement of its syntax, in the words that follow `must`.
 */
import { allOf } from '../../facts/words';
import { inThirdPerson } from '../../facts/words/third-person';
import { contentOf } from './field-content';
import { nearName } from './near-name';
import { setTo } from './set-to';

/** What follows the domain in values of the forms that requirements name. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'of the form domain/name': 'name',
  'of the form domain/path': 'controller',
};

/** `Set hard.pods to an integer.` for `be an integer`, `Set key to a value that is empty, or consists of letters.` for other requirements. */
export function requirementFix(field: string, what: string, found?: unknown): string {
  if (what === 'not be true' || what === 'not be false') {
    return `Set ${field} to ${what === 'not be false'}.`;
  }
  if (what === 'not be empty') {
    return `Set ${field} to ${contentOf(field) ?? 'a value that is not empty'}.`;
  }
  if (what.startsWith('not contain ')) {
    return withoutFix(field, what, found);
  }
  const shorter = shorterFix(field, what);
  if (shorter !== undefined) {
    return shorter;
  }
  const [, form] = /^be (of the form \S+)$/.exec(what) ?? [];
  if (form !== undefined) {
    const example = EXAMPLES[form];
    return `Set ${field} to a value ${form}${example === undefined ? '' : `, such as example.com/${example}`}.`;
  }
  const near = nearName(what, typeof found === 'string' ? found : undefined);
  return near === undefined ? statedFix(field, what) : nearFix(field, near);
}

/** A value of the same meaning where the field is known, else the nearest that is valid. */
function nearFix(field: string, near: string): string {
  const content = near.endsWith('"') ? undefined : contentOf(field);
  return `Set ${field} to ${content !== undefined && /^the name of |\bsuch as /.test(content) ? content : near}.`;
}

/** What the requirement itself says. */
function statedFix(field: string, what: string): string {
  const [, choice] = /^be ((?:[\w-]+ or [\w-]+)|(?:an? [^,]+, or an? [^,]+))$/.exec(what) ?? [];
  const [, literal] = /^be ((?:"[^"]*"|[A-Z][\w-]*|[\w-]+(?:\.[\w-]+)+))$/.exec(what) ?? [];
  const [, value] = /^be ((?:an? |true|false)[^,]*)$/.exec(what) ?? [];
  if (choice !== undefined && value === undefined) {
    return `Set ${field} to ${choice}.`;
  }
  return literal === undefined && value === undefined
    ? `Set ${field} to ${valueThat(what)}.`
    : setTo(field, literal ?? (value ?? '').replace(/^true or false$/, 'boolean'));
}

/** What to do about a value, or a part of it, that is too long. */
function shorterFix(field: string, what: string): string | undefined {
  const [, length] = /^be no longer than (\d+ (?:bytes|characters))$/.exec(what) ?? [];
  const [, part, most] = /^have a (prefix|name after the "\/") that is no more than (\d+ characters)$/.exec(what) ?? [];
  if (part !== undefined) {
    return `Shorten the ${part === 'prefix' ? 'prefix of' : `${part} in`} ${field} to at most ${most}.`;
  }
  return length === undefined ? undefined : `Shorten ${field} to at most ${length}.`;
}

/** What meets a requirement, as the end of a sentence: `at most 100%`, `a number less than completions`, `a value that matches x`. */
function valueThat(what: string): string {
  const [, first, verb, rest] = /^be (?!empty,)([^,]+), or (start|end|begin) (.+)$/.exec(what) ?? [];
  if (first !== undefined) {
    return `${first}, or to a value that ${verb}s ${rest}`;
  }
  const [, be = ''] = /^be (.+)$/.exec(what) ?? [];
  if (/^(?:at (?:least|most) |the |one of )|, joined by /.test(be)) {
    return be;
  }
  if (/^(?:less|greater|more) than /.test(be)) {
    return `a number ${be}`;
  }
  const [, other] = /^not be ("[^"]*")$/.exec(what) ?? [];
  return other === undefined ? `a value that ${inThirdPerson(what)}` : `a value other than ${other}`;
}

/** `Remove "/" and "%" from metadata.name.`, without those that the value does not contain. */
export function withoutFix(field: string, what: string, found?: unknown): string {
  const listed = what.replace(/^not contain (?:any of )?/, '');
  const isList = /^"[^"]*"(?:(?:,? or|,) "[^"]*")+$/.test(listed);
  const contained = (listed.match(/"[^"]*"/g) ?? []).filter(
    (part) => typeof found === 'string' && found.includes(part.slice(1, -1)),
  );
  const parts = isList && contained.length > 0 ? allOf(contained) : listed.replace(/ or (?=[^ ]+$)/, ' and ');
  return `Remove ${parts} from ${field}.`;
}

/**
 * What to write for a name that breaks a rule of its syntax: `Set metadata.name to a value that consists of …`, `Shorten metadata.name to …`.
 *
 * @param complaint what the name must do, in the words that follow `must`
 * @param found the name
 */
export function nameFix(field: string, complaint: string, found?: string): string {
  const length = LENGTH.exec(complaint)?.[1];
  return length === undefined ? requirementFix(field, complaint, found) : `Shorten ${field} to at most ${length}.`;
}

/** What to write for the key of a map, as `nameFix` for the value of a field. */
export function keyFix(map: string, complaint: string, key?: string): string {
  const length = LENGTH.exec(complaint)?.[1];
  if (length !== undefined) {
    return `Shorten the key in ${map} to at most ${length}.`;
  }
  const [, ofPrefix] = /^have a prefix that is no more than (\d+ characters)$/.exec(complaint) ?? [];
  if (ofPrefix !== undefined) {
    return `Shorten the prefix of the key in ${map} to at most ${ofPrefix}.`;
  }
  const wrong = key === undefined ? 'the key' : `the key ${JSON.stringify(key)}`;
  const near = nearName(complaint, key)
    ?.replace(/^a name such as /, '')
    .replace(/^example\.com\/name$/, 'example.com/rack');
  if (near === undefined && complaint !== 'not be empty') {
    return `Rename ${wrong} in ${map} so that it ${inThirdPerson(complaint)}.`;
  }
  const example = /(?:^|\.)(?:data|binaryData)$/.test(map) ? 'config.yaml' : 'example.com/rack';
  return `Rename ${wrong} in ${map} to a name such as ${near ?? example}.`;
}

const LENGTH = /^(?:have|be) no more than (\d+ characters.*)$/;
