/**
 * Commands and environment (row K15): Kubernetes expands `$(NAME)` and nothing else, and only names that it knows.
 */
import { type Rule } from '../../../checks/rules/rule';
import { type PodView } from '../../../checks/server/pod-view';
import { itemsOf, text, textsOf } from '../../../checks/server/values';
import { fieldOf } from '../../../manifests/pointer';
import { askedBy, podAdvice } from './advice';

const SOURCE = 'kubernetes 1.36, third_party/forked/golang/expansion; observed on kube-apiserver 1.36.2';
const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'ash',
  'dash',
  'zsh',
  'ksh',
  'fish',
  'pwsh',
  'powershell',
  'cmd',
  'busybox',
]);
/** Commands that run another command with what they are given. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'env',
  'exec',
  'tini',
  'dumb-init',
  'nice',
  'numactl',
  'time',
  'timeout',
  'stdbuf',
  'sudo',
]);
/** Groups whose controllers put variables into their pods. */
const SETS_VARIABLES: ReadonlySet<string> = new Set([
  'kubeflow.org',
  'trainer.kubeflow.org',
  'batch.volcano.sh',
  'flow.volcano.sh',
  'ray.io',
  'jobset.x-k8s.io',
  'leaderworkerset.x-k8s.io',
  'mindxdl.gitee.com',
  'serving.knative.dev',
  'keda.sh',
  'disaggregatedset.x-k8s.io',
]);

const IN_SHELL = 'run the command in a shell with command: ["sh", "-c", "…"]';

/** What to write for a variable that no shell expands. One that is not defined in the container may be in the image. */
function expansionFix(written: string, name: string, field: string, isDefined: boolean): string {
  return isDefined
    ? `Replace ${written} with $(${name}) in ${field}, or ${IN_SHELL}.`
    : `Add ${name} to env, and replace ${written} with $(${name}) in ${field}; if the image sets ${name}, ${IN_SHELL}.`;
}

/** `${NAME:=default}`: Flux, clusterctl, and envsubst replace these before the manifest is applied. */
const isForEnvsubst = (written: string): boolean => /^\$\{\w+:?[-=]/.test(written);

/** Whether the container sets the variable, or may do so with what it takes from elsewhere. */
const definesVariable = ({ value }: PodView['all'][number], name: string): boolean =>
  itemsOf(value.envFrom, '').length > 0 || itemsOf(value.env, '').some((entry) => text(entry.value.name) === name);

interface Word {
  readonly value: string;
  readonly path: string;
}

export const commandRules: readonly Rule[] = [
  podAdvice(
    'variable-form-expanded',
    {
      concerns: ['command', 'args'],
      row: 'K15',
      severity: 'error',
      summary: 'Outside a shell, a variable in command or args must be written as $(NAME).',
      why: 'No shell reads the arguments: the program receives the string ${NAME} itself.',
      fix: 'Replace the variable with $(NAME), or run the command in a shell with command: ["sh", "-c", "…"].',
      source: SOURCE,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const { words, direct } = wordsOf(container);
        for (const { value, path } of words) {
          for (const match of value.matchAll(/(?<!\$)\$(?:\{([A-Za-z_][A-Za-z0-9_]*)[^}]*\}|([A-Z_][A-Z0-9_]+))/g)) {
            const [written, braced, bare] = match;
            const name = braced ?? bare ?? '';
            say(path, `${written} is not expanded, because the command does not run in a shell`, {
              expected: `$(${name})`,
              fix: isForEnvsubst(written)
                ? `Write the value itself in ${fieldOf(path)}, ${IN_SHELL}, or have envsubst replace ${written} before the manifest is applied.`
                : expansionFix(
                    written,
                    name,
                    fieldOf(path),
                    SETS_VARIABLES.has(pod.group) || definesVariable(container, name),
                  ),
              // An image's own entry point may be a shell; a name without braces may be meant as text, and one with a default for envsubst.
              ...(bare !== undefined || !direct || isForEnvsubst(written) ? { severity: 'warning' as const } : {}),
            });
            break;
          }
        }
      }
    },
  ),

  podAdvice(
    'command-substitution-in-shell',
    {
      concerns: ['command', 'args'],
      row: 'K15',
      severity: 'warning',
      summary: 'A command substitution such as $(hostname -s) must run in a shell.',
      why: 'Kubernetes does not change $(…) if it contains more than a name, and no shell runs it.',
      fix: 'Run the command in a shell with command: ["sh", "-c", "…"].',
      source: SOURCE,
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of wordsOf(container).words) {
          const match = /(?<!\$)\$\(([^()]*\s[^()]*)\)/.exec(value);
          if (match !== null) {
            say(
              path,
              `the command substitution ${match[0]} is not executed, because the command does not run in a shell`,
            );
          }
        }
      }
    },
  ),

  podAdvice(
    'variable-defined',
    {
      concerns: ['env', 'command', 'args'],
      row: 'K15',
      severity: 'warning',
      summary: 'A variable in $(NAME) must be defined in env of the container, before it is used.',
      why: 'An unknown name is not expanded, and the program receives the parentheses too.',
      fix: 'Add the variable to env, before the entry that uses it.',
      source: SOURCE,
    },
    (pod, say) => {
      if (SETS_VARIABLES.has(pod.group)) {
        return;
      }
      for (const container of pod.all) {
        // A device plugin may set variables, such as the addresses of the devices.
        if (
          itemsOf(container.value.envFrom, '').length > 0 ||
          askedBy(container).some(({ name }) => name.includes('/'))
        ) {
          continue;
        }
        const known = new Set<string>(pod.kind === 'Job' || pod.kind === 'CronJob' ? ['JOB_COMPLETION_INDEX'] : []);
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          for (const name of namesIn(text(value.value))) {
            if (!known.has(name) && !isServiceVariable(name)) {
              say(`${path}/value`, `$(${name}) is not expanded: no earlier entry in env defines ${name}`, {
                fix: `Add an entry for ${name} to env, before the entry that uses it.`,
              });
            }
          }
          known.add(text(value.name));
        }
        const { words, direct } = wordsOf(container);
        const unread = new Set(words.map((word) => word.value));
        // A shell, or an entry point that may be one, runs `$(date)`.
        const mayRunCommands = (word: string): boolean => !direct || !unread.has(word);
        for (const field of ['command', 'args']) {
          for (const { value, path } of textsOf(container.value[field], `${container.path}/${field}`)) {
            for (const name of namesIn(value)) {
              if (!known.has(name) && !isServiceVariable(name) && !(isCommand(name) && mayRunCommands(value))) {
                say(path, `$(${name}) is not expanded: the container does not define ${name} in env`, {
                  fix: `Add an entry for ${name} to the container's env.`,
                });
              }
            }
          }
        }
      }
    },
  ),

  podAdvice(
    'env-name-readable',
    {
      concerns: ['env'],
      row: 'K15',
      severity: 'warning',
      summary: 'The name of an environment variable should consist of letters, digits, and "_".',
      why: 'The API server accepts almost any name, but shells and most programs cannot read such a variable.',
      fix: 'Set env[].name to letters, digits, and "_".',
      source: 'observed on kube-apiserver 1.36.2',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          const name = text(value.name);
          if (name !== '' && (/\s/.test(name) || /^\d/.test(name))) {
            say(`${path}/name`, `shells cannot read a variable with the name ${JSON.stringify(name)}`, {
              fix: `Set ${fieldOf(`${path}/name`)} to a name of letters, digits, and "_" that does not start with a digit.`,
            });
          }
        }
      }
    },
  ),

  podAdvice(
    'env-name-once',
    {
      concerns: ['env'],
      row: 'K15',
      severity: 'warning',
      summary: 'A container must define each environment variable only once.',
      why: 'The last definition wins, and a server-side apply rejects the list.',
      fix: 'Remove one of the entries from env.',
      source: 'kubernetes 1.36, PodSpec: env is a map by name',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const seen = new Set<string>();
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          const name = text(value.name);
          if (name !== '' && seen.has(name)) {
            say(`${path}/name`, `duplicate variable "${name}"; the last entry takes effect`);
          }
          seen.add(name);
        }
      }
    },
  ),
];

/** The words that no shell reads, and whether it is certain that none does. */
function wordsOf(container: PodView['all'][number]): { readonly words: readonly Word[]; readonly direct: boolean } {
  const command = textsOf(container.value.command, `${container.path}/command`);
  const args = textsOf(container.value.args, `${container.path}/args`);
  const all = [...command, ...args];
  let first = 0;
  while (first < all.length - 1 && WRAPPERS.has(programOf(all[first]?.value ?? ''))) {
    first += 1;
  }
  const program = programOf(all[first]?.value ?? '');
  if (SHELLS.has(program)) {
    return { words: [], direct: true };
  }
  // A script, or code for an interpreter, has syntax of its own.
  const words = all.filter(
    ({ value }, index) => !value.includes('\n') && !['-c', '-e', '-lc', '-ec'].includes(all[index - 1]?.value ?? ''),
  );
  const entryPointUnknown = command.length === 0 && (args.length === 1 || /\s/.test(args[0]?.value ?? ''));
  return { words, direct: !entryPointUnknown };
}

function programOf(word: string): string {
  return (word.split('/').pop() ?? '').replace(/\.exe$/, '');
}

function namesIn(value: string): readonly string[] {
  return [...value.matchAll(/(?<!\$)\$\(([A-Za-z_][-A-Za-z0-9_.]*)\)/g)].map((match) => match[1] ?? '');
}

/** The name of a program rather than of a variable: variables are in upper case by convention. */
function isCommand(name: string): boolean {
  return name !== name.toUpperCase();
}

/** Variables that the kubelet sets for each Service of the namespace. */
function isServiceVariable(name: string): boolean {
  return (
    /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?)$/.test(name) ||
    name.startsWith('KUBERNETES_')
  );
}
