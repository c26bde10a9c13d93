/**
 * Requirements as statements about what meets them.
 */

/** The verb with which a requirement begins, and those with which it goes on. */
const VERBS =
  /^(not )?(?!only|either|both|also|all|at\b)([a-z]+)(?= )|(?<=, (?:and |or )?|\band |\bor )(not )?(be|have|consist|start|end|begin|contain|match|name|fit|refer)(?= )/g;

/** `consists of letters, and starts with a letter` for `consist of letters, and start with a letter`. */
export function inThirdPerson(requirement: string): string {
  return requirement.replace(VERBS, (...groups: readonly (string | undefined)[]) => {
    const [, firstNot, firstVerb, laterNot, laterVerb = ''] = groups;
    const not = firstNot ?? laterNot;
    const verb = firstVerb ?? laterVerb;
    if (verb === 'be') {
      return `is ${not ?? ''}`.trimEnd();
    }
    const singular = verb === 'have' ? 'has' : /ch$/.test(verb) ? `${verb}es` : `${verb}s`;
    return not === undefined ? singular : `does not ${verb}`;
  });
}
