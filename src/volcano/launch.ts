/**
 * How a container starts `torchrun`, as far as its command says: the flags that decide who belongs together.
 */
import { type JsonObject } from '../api/schema';
import { asString, objectsAt, stringsIn } from '../manifests/read';

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash', 'zsh']);

export interface Launch {
  /** Flags before the script, `_` written as `-`; a flag without a value is the empty text. */
  readonly flags: ReadonlyMap<string, string>;
}

/** Whether the command hands its text to a shell, which then expands `$VAR` and `${VAR}` itself. */
export function runsInShell(container: JsonObject): boolean {
  const words = [...stringsIn(container.command), ...stringsIn(container.args)];
  return SHELLS.has(baseName(words[0] ?? '')) && words.some((word) => /^-[a-z]*c$/.test(word));
}

/** The torchrun that a container starts; `undefined` where it starts none. */
export function torchrunOf(container: JsonObject): Launch | undefined {
  const written = [...stringsIn(container.command), ...stringsIn(container.args)];
  const words = runsInShell(container) ? written.flatMap((text) => text.split(/\s+/)) : written;
  const start = words.findIndex((word, index) => baseName(unquoted(word)) === 'torchrun'
    || (words[index - 1] === '-m' && /^torch\.distributed\.(?:run|launch)$/.test(unquoted(word))));
  if (start < 0) return undefined;
  const flags = new Map<string, string>();
  for (let index = start + 1; index < words.length; index += 1) {
    const word = unquoted(words[index] ?? '');
    if (word === '' || word === '\\') continue;
    if (!word.startsWith('-')) break;
    const [, name = '', value] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const next = words[index + 1];
    const key = name.replace(/_/g, '-');
    if (value !== undefined || SWITCHES.has(key)) flags.set(key, unquoted(value ?? ''));
    else {
      flags.set(key, unquoted(next ?? ''));
      index += 1;
    }
  }
  return { flags };
}

/** torchrun's flags that take no value. */
const SWITCHES = new Set(['standalone', 'no-python', 'run-path', 'module', 'm', 'h', 'help', 'duplicate-stdout-filters', 'virtual-local-rank']);

/** The names of the variables that a container is given by its own `env`. */
export function variablesGiven(container: JsonObject): ReadonlySet<string> {
  return new Set(objectsAt(container, '/env').map(({ value }) => asString(value.name) ?? ''));
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function unquoted(word: string): string {
  return word.replace(/^(["'])(.*)\1$/s, '$2').replace(/^["']|["';]+$/g, '');
}
