/**
 * A valid name that is near an invalid one, for the syntaxes of Kubernetes: `gantry-system` for `GANTRY_SYSTEM`.
 */

interface Syntax {
  /** How the requirement of the syntax reads. */
  readonly requirement: RegExp;
  /** The word for a value of the syntax, with its article. */
  readonly noun: string;
  readonly near: (value: string) => string;
}

const LABEL_LENGTH = 63;
const DOMAIN_LENGTH = 253;

const label = (value: string): string =>
  value
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LABEL_LENGTH)
    .replace(/^-+|-+$/g, '');

const domain = (value: string): string =>
  value
    .toLowerCase()
    .slice(0, DOMAIN_LENGTH)
    .split('.')
    .map((part) => part.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('.');

const labelValue = (value: string): string =>
  value
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .slice(0, LABEL_LENGTH)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');

const SYNTAXES: readonly Syntax[] = [
  { requirement: /^consist of lower-case .*\(a DNS label\)$/, noun: 'a DNS label', near: label },
  {
    requirement: /^consist of lower-case letters, digits, and "-", start with a letter/,
    noun: 'a name',
    near: (value) => label(value).replace(/^[0-9-]+/, ''),
  },
  { requirement: /^consist of lower-case letters, digits, "-", and "\.", and start/, noun: 'a name', near: domain },
  { requirement: /^have a letter or digit before and after each "\."$/, noun: 'a name', near: domain },
  { requirement: /^be empty, or consist of letters, /, noun: 'a label value', near: labelValue },
  { requirement: /^consist of letters, digits, "-", "_", and "\.", and start/, noun: 'a name', near: labelValue },
];

/**
 * `a DNS label such as "gantry-system"`; `undefined` for other requirements, and if no letter of the value can be kept.
 *
 * @param requirement what the value must do, in the words that follow `must`
 */
export function nearName(requirement: string, value: string): string | undefined {
  const syntax = SYNTAXES.find((each) => each.requirement.test(requirement));
  const near = syntax?.near(value) ?? '';
  return syntax === undefined || !/[a-z]/i.test(near) || near === value
    ? undefined
    : `${syntax.noun} such as "${near}"`;
}
