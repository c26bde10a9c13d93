/**
 * Defines a rule outside Gantry: an organization states what its own manifests must look like.
 */
import { allKinds } from '../../facts/api/kinds';
import { publicFunction } from '../../facts/calls/public-function';
import { SEVERITIES, TIERS } from '../report/finding';
import { type ObjectRule, type PodTemplateRule, type Rule, type RuleFacts, type SetRule } from './rule';
import { oneOf } from '../../facts/words';

/** Facts that have a default in a rule of an organization. */
type Defaulted = 'tier' | 'severity' | 'why' | 'source';

type Definition<R extends Rule> = Omit<R, Defaulted | 'row' | 'otherTiers'> & {
  /**
   * Which component would report it.
   * @default 'advice' - every component accepts it
   */
  readonly tier?: RuleFacts['tier'];
  /**
   * `error` fails a check and stops a synth; `warning` and `info` do neither.
   * @default 'error'
   */
  readonly severity?: RuleFacts['severity'];
  /**
   * What happens if the rule is broken, one sentence.
   * @default - the summary
   */
  readonly why?: string;
  /**
   * Where the rule comes from: a policy, a decision record, an incident.
   * @default - the domain of the id
   */
  readonly source?: string;
};

/** What `defineRule` takes. `on` selects what `check` gets: one object, one pod template, or the whole set. */
export type RuleDefinition = Definition<ObjectRule> | Definition<PodTemplateRule> | Definition<SetRule>;

const ID = /^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/;
const KIND = /^(\*|([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Z][A-Za-z0-9]*)$/;

/**
 * Defines a rule. Add it to an app with `Checks.of(app).addRules(rule)`, to a check with the option `rules`, and test it with `runRule`.
 *
 * @throws if the id is not `domain/requirement`, if a kind is not `group/Kind` or lacks its group, if the summary or the fix is empty, or if `check` is not a function
 * @example
 * const ownerLabel = defineRule({
 *   on: 'object',
 *   id: 'acme/owner-label',
 *   kinds: ['batch/Job'],
 *   summary: 'Each Job has the label acme.example/owner.',
 *   fix: 'Set metadata.labels["acme.example/owner"] to the name of a team.',
 *   check: ({ object }) =>
 *     valueAt(object, '/metadata/labels/acme.example~1owner') === undefined
 *       ? [{ path: '/metadata/labels', message: 'label "acme.example/owner" is required' }]
 *       : [],
 * });
 */
export const defineRule = /* @__PURE__ */ publicFunction('defineRule', (definition: RuleDefinition): Rule => {
  const problem = ruleProblem(definition);
  if (problem !== undefined) {
    throw new Error(problem);
  }
  const { id, summary } = definition;
  return {
    tier: 'advice',
    severity: 'error',
    why: summary,
    source: id.slice(0, id.indexOf('/')),
    ...definition,
  };
});

/** What keeps a value from being a rule, as a clause that names the rule; `undefined` if it is one. */
export function ruleProblem(value: unknown): string | undefined {
  const { id, kinds, on, check, ...rest }: Readonly<Record<string, unknown>> = { ...(value as object) };
  if (typeof id !== 'string' || !ID.test(id)) {
    return `rule id ${textOf(id)} must be domain/requirement in lower case, such as acme/owner-label`;
  }
  const empty = ['summary', 'fix'].find((name) => typeof rest[name] !== 'string' || rest[name].trim() === '');
  const problem =
    (empty === undefined ? undefined : `${empty} must not be empty`) ??
    oneOfProblem('on', on ?? '', TARGETS) ??
    oneOfProblem('tier', rest.tier, TIERS) ??
    oneOfProblem('severity', rest.severity, SEVERITIES) ??
    (typeof check === 'function' ? undefined : `check must be a function, not ${textOf(check)}`) ??
    (on === 'object' ? kindsProblem(kinds) : undefined);
  return problem === undefined ? undefined : `rule ${id}: ${problem}`;
}

const TARGETS = ['object', 'pod-template', 'set'];

function oneOfProblem(name: string, value: unknown, known: readonly unknown[]): string | undefined {
  return value === undefined || known.includes(value)
    ? undefined
    : `${name} must be ${oneOf(known.map(String))}, not ${textOf(value)}`;
}

function kindsProblem(kinds: unknown): string | undefined {
  if (!Array.isArray(kinds) || kinds.length === 0) {
    return 'kinds must name at least one kind; "*" is every kind';
  }
  const wrong: unknown = kinds.find((kind) => typeof kind !== 'string' || !KIND.test(kind));
  if (wrong === undefined) {
    return (kinds as readonly string[]).map(withoutGroupProblem).find((problem) => problem !== undefined);
  }
  const [group, , name] = typeof wrong === 'string' ? wrong.split('/') : [];
  const hint = name === undefined ? '' : `; a rule covers all versions: "${group}/${name}"`;
  return `kind ${textOf(wrong)} must be group/Kind, or Kind alone for the core group${hint}`;
}

/** A kind without a group is one of the core group: the rule would never run on a kind that is known in other groups alone. */
function withoutGroupProblem(kind: string): string | undefined {
  if (kind === '*' || kind.includes('/')) {
    return undefined;
  }
  const groups = [...new Set(allKinds().flatMap((info) => (info.kind === kind ? [info.group] : [])))];
  return groups.length === 0 || groups.includes('')
    ? undefined
    : `kind "${kind}" is not in the core group: write ${oneOf(groups.map((group) => `"${group}/${kind}"`))}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : value === undefined ? 'undefined' : typeof value;
}
