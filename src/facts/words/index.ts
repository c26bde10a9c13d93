/**
 * Lists and counts as a sentence writes them.
 */

/** `a`, `a or b`, `a, b, or c`; a name that is empty, or begins or ends with a blank, is quoted. */
export function oneOf(names: readonly string[]): string {
  return joined(names, 'or');
}

/** As `oneOf`, for names that users choose: each as a manifest writes it. */
export function oneOfStrings(values: readonly string[]): string {
  return oneOf(values.map(asYaml));
}

/** What YAML reads as null, a boolean, a number, or a time. */
const READ_AS_ANOTHER_TYPE =
  /^(?:y|n|yes|no|on|off|true|false|null|~|[-+]?(?:[\d_]+(?:\.[\d_]*)?|\.[\d_]+)(?:e[-+]?\d+)?|[-+]?(?:0x[\da-f_]+|0o?[0-7_]+|0b[01_]+)|[-+]?\.inf|\.nan|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|\d{4}-\d\d?-\d\d?(?:[t ].*)?|)$/i;
/** What YAML does not read as a plain scalar, or what does not look like one, such as a cron schedule. */
const INDICATOR = /^(?:[*&!|>%@`"'{[#,\]}]|[-?:](?: |$)|\s)|: |:$| #| \*|\s$/;

/** A string as YAML writes it: in quotes where it would be read as something else without them. */
export function asYaml(value: string): string {
  return READ_AS_ANOTHER_TYPE.test(value) || INDICATOR.test(value) ? JSON.stringify(value) : value;
}

/** `a`, `a and b`, `a, b, and c`. */
export function allOf(names: readonly string[]): string {
  return joined(names, 'and');
}

function joined(listed: readonly string[], conjunction: 'and' | 'or'): string {
  const names = listed.map((name) => (name.trim() === name && name !== '' ? name : JSON.stringify(name)));
  return names.length < 3
    ? names.join(` ${conjunction} `)
    : `${names.slice(0, -1).join(', ')}, ${conjunction} ${names.at(-1) ?? ''}`;
}

/** `a B200`, `an A100`, `an H100`: by the sound of the first letter, which is spelled out in capitals and before digits. */
export function withArticle(name: string): string {
  const vowel = /^[A-Z](?![a-z])/.test(name) ? /^[AEFHILMNORSX]/ : /^[aeio]/i;
  return `${vowel.test(name) ? 'an' : 'a'} ${name}`;
}

/** `1 pod`, `5 pods`, `2 entries`, `2 processes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}${noun.endsWith('s') ? 'es' : 's'}`;
}

/** Manifests are other people's text: what would steer the terminal is shown, not sent. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' ? ' ' : `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}
