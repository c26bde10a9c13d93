/**
 * What became of the objects that were adopted, for people.
 */
import { occurrencesOf } from '../../../checks/report/finding';
import { counted, printable } from '../../../facts/words';
import { describeId, type ObjectId } from '../../../manifests/manifest';
import { placeOf } from '../inputs';
import { table } from '../table';
import { type Adoption } from './adopt';
import { type Form } from './declaration';
import { INVERSES } from './kinds';

export interface AdoptionTextOptions {
  readonly out: string | undefined;
  readonly className: string;
  readonly paths: readonly string[];
  readonly color: boolean;
  readonly width: number | undefined;
}

export function adoptionText(adoption: Adoption, options: AdoptionTextOptions): string {
  const { declarations, leftOut, dropped, notCarried, problems } = adoption;
  const all = declarations.reduce((sum, { covers }) => sum + 1 + covers.length, 0);
  const constructs = declarations
    .filter(({ form }) => form === 'construct')
    .reduce((sum, { covers }) => sum + 1 + covers.length, 0);
  const sections = [
    `${options.out ?? 'stack'}: ${counted(all, 'object')}, ${constructs} of them as constructs\n`,
    kinds(adoption, options),
    section(
      'Objects of kinds with a construct that stay objects:',
      declarations.flatMap(({ manifest, why }) => (why === undefined ? [] : [`${describeId(manifest.id)}: ${why}`])),
    ),
    section('Objects without a construct:', withoutConstruct(adoption)),
    section(
      'Left out:',
      leftOut.map(({ manifest, reason }) => `${describeId(manifest.id)}: ${reason}`),
    ),
    section(
      'Fields that the cluster added, left out:',
      [...dropped].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, count]) => `${path} (${counted(count, 'object')})`),
    ),
    section('Not carried over:', [
      ...notCarried.map(({ manifest, path, reason }) => `${describeId(manifest.id)} ${path}: ${reason}`),
      ...problems.map((problem) => `${placeOf(problem)}: ${problem.message}`),
    ]),
    findings(adoption, options),
    options.out === undefined ? '' : next(options),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

const FORMS: readonly Form[] = ['construct', 'typed', 'plain'];

/** By kind, with the reason: no construct renders the kind, or one renders another version of it. */
function withoutConstruct({ declarations }: Adoption): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { manifest, form, covers } of declarations) {
    for (const { id } of [manifest, ...covers]) {
      if (form !== 'construct' && !hasConstruct(id)) {
        const key = `${id.apiVersion} ${id.kind}`;
        names.set(key, [...(names.get(key) ?? []), nameOf(id)]);
      }
    }
  }
  return [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, own]) => {
      const more = own.length > MOST_NAMES ? `, and ${own.length - MOST_NAMES} more` : '';
      return `${key} ${own.slice(0, MOST_NAMES).join(', ')}${more}: ${reasonOf(key)}`;
    });
}

const MOST_NAMES = 8;

function reasonOf(key: string): string {
  const [apiVersion, kind] = key.split(' ');
  const group = apiVersion.split('/').slice(0, -1).join('/');
  const versions = Object.keys(INVERSES).flatMap((known) => {
    const parts = known.split('/');
    return parts.at(-1) === kind && parts.slice(0, -2).join('/') === group ? [parts.slice(0, -1).join('/')] : [];
  });
  return versions.length === 0
    ? 'its kind has no construct'
    : `the construct of its kind renders ${versions.join(' or ')}`;
}

function hasConstruct({ apiVersion, kind }: ObjectId): boolean {
  return Object.hasOwn(INVERSES, `${apiVersion}/${kind}`);
}

function nameOf({ namespace, name }: ObjectId): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function kinds({ declarations }: Adoption, { color, width }: AdoptionTextOptions): string {
  const counts = new Map<string, Record<Form, number>>();
  const count = (kind: string, form: Form): void => {
    const known = counts.get(kind) ?? { construct: 0, typed: 0, plain: 0 };
    known[form] += 1;
    counts.set(kind, known);
  };
  let others = 0;
  for (const { manifest, form, covers } of declarations) {
    for (const { id } of [manifest, ...covers]) {
      if (form !== 'construct' && !hasConstruct(id)) {
        others += 1;
      } else {
        count(`${id.kind} ${id.apiVersion}`, form);
      }
    }
  }
  const rows = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, forms]) => [kind, ...FORMS.map((form) => (forms[form] === 0 ? '-' : String(forms[form])))]);
  const shown =
    rows.length === 0 ? '' : table(['KIND', 'CONSTRUCTS', 'TYPED', 'UNTYPED'], rows, { color, width, whole: [0] });
  return others === 0 ? shown : `${shown}${counted(others, 'object')} of kinds without a construct\n`;
}

function findings({ findings: found }: Adoption, { paths }: AdoptionTextOptions): string {
  const of = (severity: string): number =>
    found.reduce((sum, finding) => sum + (finding.severity === severity ? occurrencesOf(finding) : 0), 0);
  const [errors, warnings] = [of('error'), of('warning')];
  if (errors + warnings === 0) {
    return 'The input has no errors and no warnings.\n';
  }
  const rules = new Map<string, number>();
  for (const finding of found) {
    if (finding.severity !== 'info') {
      rules.set(finding.rule, (rules.get(finding.rule) ?? 0) + occurrencesOf(finding));
    }
  }
  const lines = [...rules].sort(([a, one], [b, two]) => two - one || (a < b ? -1 : 1));
  return section(
    `The input has ${counted(errors, 'error')} and ${counted(warnings, 'warning')}; to list them, run: gantry check ${printable(paths.join(' '))}`,
    lines.map(([rule, times]) => `${rule} (${times})`),
  );
}

function next({ out = '', className }: AdoptionTextOptions): string {
  const module = `./${out.split('/').at(-1)?.replace(/\.ts$/, '') ?? ''}`;
  return [
    'Next, in the program of the app:',
    `  import { App } from 'cdk8s';`,
    `  import { ${className} } from '${module}';`,
    '',
    '  const app = new App();',
    `  new ${className}(app, 'stack');`,
    '  app.synth();\n',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${printable(line)}\n`).join('')}`;
}
