/**
 * What to write instead of a name that breaks the syntax of Kubernetes: a valid name that is near it, `gantry-system` for `GANTRY_SYSTEM`,
 * or an example where nothing of it can be kept.
 */

interface Syntax {
  /** How the requirement of the syntax reads. */
  readonly requirement: RegExp;
  /** The word for a value of the syntax, with its article. */
  readonly noun: string;
  /** @default - no value is near another one */
  readonly near?: (value: string) => string;
  /** A value for which no near one is known. */
  readonly example: string;
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

/** Of `[prefix/]name`: without a name, or with more than one slash, the value says too little. */
function qualified(value: string): string {
  const parts = value.split('/');
  const name = labelValue(parts.at(-1) ?? '');
  if (parts.length !== 2) {
    return parts.length === 1 ? name : '';
  }
  const prefix = domain(parts[0] ?? '');
  return prefix === '' || name === '' ? name : `${prefix}/${name}`;
}

const NAME = 'train-70b';

const SYNTAXES: readonly Syntax[] = [
  {
    // Of a prefix of a name.
    requirement: /^consist of lowercase letters, digits, and "-", and start with a letter or digit$/,
    noun: 'a name',
    near: label,
    example: NAME,
  },
  { requirement: /^consist of lowercase .*\(a DNS label\)$/, noun: 'a DNS label', near: label, example: NAME },
  {
    requirement: /^consist of lowercase letters, digits, and "-", (?:and )?start with a letter\b/,
    noun: 'a name',
    near: (value) => label(value).replace(/^[0-9-]+/, ''),
    example: NAME,
  },
  { requirement: /^consist of lowercase letters, digits, and "-"$/, noun: 'a name', near: label, example: 'http' },
  {
    requirement: /^consist of lowercase letters, digits, "-", (?:"_", )?and "\.", (?:and )?start/,
    noun: 'a name',
    near: domain,
    example: NAME,
  },
  {
    requirement: /^have a letter or digit before and after each "\."$/,
    noun: 'a name',
    near: domain,
    example: 'example.com',
  },
  { requirement: /^be empty, or consist of letters, /, noun: 'a label value', near: labelValue, example: 'a100-80gb' },
  {
    requirement: /^consist of letters, digits, "-", "_", and "\.", and start/,
    noun: 'a name',
    near: labelValue,
    example: 'example.com/rack',
  },
  {
    requirement: /^consist of letters, digits, "-", "_", and "\."$/,
    noun: 'a name',
    near: labelValue,
    example: 'config.yaml',
  },
  {
    requirement: /^consist of letters, digits, "_", ",", and ":", start/,
    noun: 'a name',
    near: (value) => value.replace(/[^A-Za-z0-9_,:]+/g, '_').replace(/^[^A-Za-z]+|[^A-Za-z0-9]+$/g, ''),
    example: 'HostFailed',
  },
  {
    requirement:
      /^(?:have a (?:prefix that (?!is no more)|name after the "\/"(?! that is no more))|contain at most one "\/")/,
    noun: 'a name',
    near: qualified,
    example: 'example.com/name',
  },
  { requirement: /^be "\*\." followed by a DNS name$/, noun: 'a wildcard host', example: '*.example.com' },
  {
    requirement: /^have a domain prefix that /,
    noun: 'a name',
    example: 'example.com/controller',
  },
];

/** Whether something of the value is left: numbers and times make no name, as against values of labels. */
function isNear(near: string, value: string, { noun }: Syntax): boolean {
  const letters = near.replace(/[^a-z]/gi, '').length;
  const all = near.replace(/[^a-z0-9]/gi, '').length;
  const isLeft = noun === 'a label value' || letters * 4 >= all;
  return letters > 0 && near !== value && isLeft;
}

/**
 * `a DNS label such as "gantry-system"`; `undefined` for other requirements.
 *
 * @param requirement what the value must do, in the words that follow `must`
 * @param value that breaks it, if it is known
 */
export function nearName(requirement: string, value = ''): string | undefined {
  const syntax = SYNTAXES.find((each) => each.requirement.test(requirement));
  if (syntax === undefined) {
    return undefined;
  }
  const near = syntax.near?.(value) ?? '';
  return `${syntax.noun} such as ${isNear(near, value, syntax) ? `"${near}"` : syntax.example}`;
}
