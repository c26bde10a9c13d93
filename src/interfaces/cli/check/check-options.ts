/**
 * The options that say what to check against, read from the command line's words.
 */
import { DEFAULT_MINOR, KUBERNETES_MINORS } from '../../../facts/api/kinds';
import { type JsonObject, type KubernetesMinor } from '../../../facts/api/schema';
import { type CheckOptions } from '../../../checks/engine';
import { SEVERITIES, TIERS, type Severity, type Tier } from '../../../checks/report/finding';
import { parseSuppression, type Suppression } from '../../../checks/report/suppression';
import { kindKey } from '../../../manifests/identity';
import { parseYaml } from '../../../manifests/yaml';
import { findFiles } from '../../checks/find-files';
import { readText } from '../../checks/read-files';
import { placeOf } from '../inputs';
import { UsageError, type Terminal } from '../terminal';

export const FORMATS = ['text', 'json', 'sarif'] as const;
export type Format = (typeof FORMATS)[number];

/** As commander hands them over. */
export interface CheckFlags {
  readonly only?: readonly string[];
  readonly k8s?: string;
  readonly crd?: readonly string[];
  readonly ignore?: readonly string[];
  readonly failOn?: string;
  readonly hygiene?: boolean;
  readonly format?: string;
  readonly output?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly exclude?: readonly string[];
  readonly config?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly kustomize?: readonly string[];
  readonly helm?: readonly string[];
  readonly values?: readonly string[];
  readonly set?: readonly string[];
  readonly release?: string;
  readonly namespace?: string;
  readonly cluster?: string;
  readonly maxAge?: string;
  readonly jobs?: string;
}

/** @throws UsageError that names the flag, the value and what would be right */
export function checkOptions(flags: CheckFlags, knownRules: readonly string[], terminal: Terminal): CheckOptions {
  return {
    kubernetes: minorOf(flags.k8s),
    tiers: tiersOf(flags.only),
    groups: flags.hygiene === true ? ['hygiene'] : [],
    crdOption: '--crd FILE',
    crds: flags.crd?.flatMap((file) => crdsIn(file, terminal.cwd)),
    ignore: flags.ignore?.map((text) => suppressionOf(text, knownRules)),
  };
}

export function minorOf(text: string | undefined): KubernetesMinor {
  if (text === undefined) {
    return DEFAULT_MINOR;
  }
  const minor = KUBERNETES_MINORS.find((known) => known === text.replace(/^v/, ''));
  if (minor !== undefined) {
    return minor;
  }
  throw new UsageError(
    `--k8s ${text}: unsupported Kubernetes version; supported versions are ${KUBERNETES_MINORS.join(', ')}`,
  );
}

/** How many threads the user wants. */
export function jobsOf(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,3}$/.test(text)) {
    return text === undefined ? undefined : Number(text);
  }
  throw new UsageError(`--jobs ${text}: must be a whole number from 1 to 9999`);
}

function tiersOf(texts: readonly string[] | undefined): readonly Tier[] | undefined {
  if (texts === undefined) {
    return undefined;
  }
  return texts.flatMap((text) => text.split(',')).map((part) => oneOf('--only', part.trim(), TIERS, 'tier'));
}

/** What gives exit status 1. */
export interface FailOn {
  /** The lowest severity that does. */
  readonly severity: Severity;
  readonly notChecked: boolean;
}

const NOT_CHECKED = 'not-checked';

/** @param text severities and `not-checked`, separated by commas */
export function failOnOf(text: string | undefined): FailOn {
  const words = (text ?? 'error')
    .split(',')
    .map((word) => oneOf('--fail-on', word.trim(), [...SEVERITIES, NOT_CHECKED], 'severity'));
  const severities = SEVERITIES.filter((severity) => words.includes(severity));
  return { severity: severities.at(-1) ?? 'error', notChecked: words.includes(NOT_CHECKED) };
}

export function formatOf(text: string | undefined): Format {
  return text === undefined ? 'text' : oneOf('--format', text, FORMATS, 'format');
}

export function oneOf<T extends string>(flag: string, text: string, allowed: readonly T[], noun: string): T {
  const value = allowed.find((candidate) => candidate === text);
  if (value !== undefined) {
    return value;
  }
  throw new UsageError(`${flag} ${text}: unknown ${noun}; supported values are ${allowed.join(', ')}`);
}

function suppressionOf(text: string, knownRules: readonly string[]): Suppression {
  const suppression = parseSuppression(text, '=');
  if (suppression === undefined) {
    throw new UsageError(`--ignore ${text}: must be RULE=REASON with a non-empty reason`);
  }
  if (knownRules.includes(suppression.rule)) {
    return { ...suppression, by: '--ignore' };
  }
  const near = knownRules.filter((rule) => rule.split('/')[1] === suppression.rule.split('/').at(-1));
  throw new UsageError(
    `--ignore ${text}: unknown rule ${suppression.rule}${near.length > 0 ? ` (did you mean ${near.join(' or ')}?)` : '; list the rules with `gantry rules`'}`,
  );
}

const CRD_KIND = 'apiextensions.k8s.io/CustomResourceDefinition';

/** The definitions of a file, or of all files of a folder that have some. */
export function crdsIn(path: string, cwd: string): readonly JsonObject[] {
  const found = findFiles([path], cwd).files.map((file) => ({ ...file, crds: crdsInFile(file.path, cwd) }));
  if (found.every(({ crds }) => crds.length === 0)) {
    throw new UsageError(`--crd ${path}: contains no CustomResourceDefinition`);
  }
  return found.flatMap(({ crds }) => crds);
}

function crdsInFile(file: string, cwd: string): readonly JsonObject[] {
  const { manifests, problems } = parseYaml(readText(file, cwd), file, { skipForeign: 'known' });
  const [problem] = problems;
  if (problem !== undefined) {
    throw new UsageError(`${placeOf(problem)}: ${problem.message}`);
  }
  const crds = manifests.filter(({ id }) => kindKey(id) === CRD_KIND);
  const old = crds.find(({ id }) => id.apiVersion !== 'apiextensions.k8s.io/v1');
  if (old !== undefined) {
    throw new UsageError(
      `${file}: CustomResourceDefinition ${old.id.name} has apiVersion ${old.id.apiVersion}; it must be apiextensions.k8s.io/v1`,
    );
  }
  return crds.map(({ object }) => object);
}
