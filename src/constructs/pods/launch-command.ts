/**
 * Reads a `torchrun` command line from a container of any workload: the options that it sets, and where.
 *
 * It follows what the container runtime would run: `command` then `args`, with a shell's `-c` script taken apart into words.
 * It does not expand variables; an option whose value contains one is reported with that value, and rules skip it.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asArray, asString } from '../../manifests/read';

export interface LaunchOption {
  /** With underscores, whichever spelling was used: `nproc_per_node`. */
  readonly name: string;
  readonly value: string | undefined;
  /** As written, `--nnodes=4` or `--nnodes 4`. */
  readonly text: string;
  /** JSON pointer of the item of `command` or `args` that contains it. */
  readonly path: string;
}

export interface LaunchCommand {
  /** `torchrun`, or the module that Python was asked to run. */
  readonly launcher: string;
  readonly options: readonly LaunchOption[];
}

export interface Word {
  readonly text: string;
  readonly path: string;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh']);
const MODULES = new Set(['torch.distributed.run', 'torch.distributed.launch']);
const FLAGS = new Set(['standalone', 'm', 'module', 'no_python', 'run_path', 'use_env', 'h', 'help', 'version']);
/** Where one shell command ends and another begins. */
export const SEPARATORS: ReadonlySet<string> = new Set([';', '&&', '||', '|', '&', '\n']);

/** The words of `command` and `args`. */
export function wordsOf(container: JsonObject, path: string): readonly Word[] {
  return (['command', 'args'] as const).flatMap((field) =>
    asArray(container[field]).flatMap((word, index) => {
      const text = asString(word);
      return text === undefined ? [] : [{ text, path: `${path}/${field}/${index}` }];
    }),
  );
}

/** The first launch of PyTorch processes in a container; `undefined` where it launches none that can be read. */
export function launchCommandOf(container: JsonObject, path: string): LaunchCommand | undefined {
  const words = throughShell(wordsOf(container, path));
  for (const [index, word] of words.entries()) {
    if (baseName(word.text) === 'torchrun') {
      return { launcher: 'torchrun', options: optionsOf(words.slice(index + 1)) };
    }
    if (MODULES.has(word.text) && words[index - 1]?.text === '-m') {
      return { launcher: word.text, options: optionsOf(words.slice(index + 1)) };
    }
  }
  return undefined;
}

export function optionNamed(launch: LaunchCommand, ...names: readonly string[]): LaunchOption | undefined {
  return launch.options.find((option) => names.includes(option.name));
}

const REFERENCE = /\$\$|\$(?:\{([A-Za-z_]\w*)[^}]*\}|\(([A-Za-z_]\w*)\)|([A-Za-z_]\w*))/g;

/** Names of the variables that a text refers to, in Kubernetes' form `$(X)` or a shell's `$X`, `${X}`; `$$(X)` is an escape. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap((match) => match[1] ?? match[2] ?? match[3] ?? []);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Replaces `sh -c SCRIPT` by the words of the script, all at the place of the script. */
export function throughShell(words: readonly Word[]): readonly Word[] {
  const [first] = words;
  if (first === undefined || !SHELLS.has(baseName(first.text))) {
    return words;
  }
  const flag = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word.text));
  const script = flag < 0 ? undefined : words[flag + 1];
  return script === undefined ? words : splitScript(script.text).map((text) => ({ text, path: script.path }));
}

/** Words of a shell script: quotes group and are dropped, `\` before a newline joins lines, separators are words of their own. */
function splitScript(script: string): string[] {
  const tokens =
    script.replace(/\\\r?\n/g, ' ').match(/&&|\|\||[;|&\n]|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;|&"'\\])+|["']/g) ??
    [];
  return tokens.map((token) =>
    token.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'/g,
      (_whole, double?: string, single?: string) => double ?? single ?? '',
    ),
  );
}

/** Options up to the training script: what follows the first word that is not an option belongs to the script. */
function optionsOf(words: readonly Word[]): readonly LaunchOption[] {
  const options: LaunchOption[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !word.text.startsWith('-') || SEPARATORS.has(word.text)) {
      break;
    }
    const [key = '', ...rest] = word.text.replace(/^-+/, '').split('=');
    const name = key.replace(/-/g, '_');
    if (rest.length > 0) {
      options.push({ name, value: rest.join('='), text: word.text, path: word.path });
    } else if (FLAGS.has(name)) {
      options.push({ name, value: undefined, text: word.text, path: word.path });
    } else {
      const value = words[index + 1];
      options.push({
        name,
        value: value?.text,
        text: value === undefined ? word.text : `${word.text} ${value.text}`,
        path: word.path,
      });
      index += 1;
    }
  }
  return options;
}
