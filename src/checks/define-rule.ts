/**
 * Defines a rule outside Gantry: an organization states what its own manifests must look like.
 */
import { type ObjectRule, type PodTemplateRule, type Rule, type RuleFacts, type SetRule } from './rule';

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
 * @throws if the id is not `domain/requirement`, if a kind is not `group/Kind`, or if the summary or the fix is empty
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
export function defineRule(definition: RuleDefinition): Rule {
  const { id, summary, fix } = definition;
  if (!ID.test(id)) {
    throw new Error(`rule id "${id}" must be domain/requirement in lower case, such as acme/owner-label`);
  }
  for (const [name, text] of Object.entries({ summary, fix })) {
    if (text.trim() === '') {
      throw new Error(`rule ${id}: ${name} must not be empty`);
    }
  }
  if (definition.on === 'object') {
    requireKinds(id, definition.kinds);
  }
  return {
    tier: 'advice',
    severity: 'error',
    why: summary,
    source: id.slice(0, id.indexOf('/')),
    ...definition,
  };
}

function requireKinds(id: string, kinds: readonly string[]): void {
  if (kinds.length === 0) {
    throw new Error(`rule ${id}: kinds must name at least one kind; "*" is every kind`);
  }
  for (const kind of kinds) {
    if (KIND.test(kind)) {
      continue;
    }
    const [group, , name] = kind.split('/');
    const hint = name === undefined ? '' : `; a rule covers all versions: "${group}/${name}"`;
    throw new Error(`rule ${id}: kind "${kind}" must be group/Kind, or Kind alone for the core group${hint}`);
  }
}
