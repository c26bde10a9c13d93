/**
 * The file `.gantry.yaml`: what a repository wants of its checks.
 */
import type * as ChildProcess from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ruleProblem } from '../../../checks/rules/define-rule';
import { type Rule } from '../../../checks/rules/rule';
import { type Severity } from '../../../checks/report/finding';
import { type Suppression } from '../../../checks/report/suppression';
import { fieldPathOf } from '../../../manifests/pointer';
import { asObject, asString, stringsIn } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { readText } from '../../checks/read-files';
import { CONFIGURATION_SCHEMA, problemsOf } from './configuration-schema';
import { UsageError, type Terminal } from '../terminal';
import type * as ImportModule from './import-module';

/** The first line of a report of a syntax error. */
const PLACE = /^((?:file:|\/|[A-Za-z]:\\).*):(\d+)\r?\n/;

const CONFIGURATION_FILE = '.gantry.yaml';

/** Paths are as one would write them in the working folder. */
export interface Configuration {
  /** Folder of the file. */
  readonly folder: string;
  /** The file, as messages name it; `undefined` where there is none. */
  readonly file?: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly k8s?: string;
  readonly crds: readonly string[];
  readonly severities: ReadonlyMap<string, Severity>;
  readonly off: readonly Suppression[];
  readonly ruleModules: readonly string[];
  readonly failOn: readonly string[];
  /** Whether the file asks for the rules on hygiene. */
  readonly hygiene?: boolean;
  readonly baseline?: string;
}

/**
 * Reads the file that `--config` names, or the nearest `.gantry.yaml` of the working folder and those above it.
 *
 * @throws UsageError that names each place that is wrong
 */
export function readConfiguration(named: string | undefined, cwd: string): Configuration {
  const file = named === undefined ? findUpwards(cwd) : resolve(cwd, named);
  if (file === undefined) {
    return {
      folder: cwd,
      include: [],
      exclude: [],
      crds: [],
      severities: new Map(),
      off: [],
      ruleModules: [],
      failOn: [],
    };
  }
  const shown = relative(cwd, file);
  const parsed = parseValue(readText(shown, cwd), shown);
  if ('problem' in parsed) {
    const { position, message } = parsed.problem;
    throw new UsageError(`${shown}:${position.line}:${position.column}: ${message}`);
  }
  const value = asObject(parsed.value ?? {});
  const problems = problemsOf(parsed.value ?? {}, CONFIGURATION_SCHEMA);
  if (problems.length > 0) {
    throw new UsageError(
      problems
        .map(({ path, message }) => `${shown}: ${path === '' ? 'the file' : fieldPathOf(path)} ${message}`)
        .join('\n'),
    );
  }
  const folder = dirname(file);
  const fromHere = (path: string): string => relative(cwd, resolve(folder, path)) || '.';
  const rules = Object.entries(asObject(value.rules)).map(([rule, terms]) => {
    const { severity, reason } = asObject(terms);
    return { rule, severity: asString(severity) ?? '', reason: asString(reason) ?? '' };
  });
  const severities = rules.filter(({ severity }) => severity !== 'off');
  return {
    folder,
    file: shown,
    include: stringsIn(value.include).map(fromHere),
    exclude: stringsIn(value.exclude),
    k8s: asString(value.k8s),
    crds: stringsIn(value.crds).map(fromHere),
    severities: new Map(severities.map(({ rule, severity }) => [rule, severity as Severity])),
    off: rules
      .filter(({ severity }) => severity === 'off')
      .map(({ rule, reason }) => ({ rule, reason, by: basename(shown) })),
    ruleModules: stringsIn(value['rule-modules']).map((module) => resolve(folder, module)),
    failOn: stringsIn(value['fail-on']),
    hygiene: value.hygiene === true,
    baseline: value.baseline === undefined ? undefined : fromHere(asString(value.baseline) ?? ''),
  };
}

function findUpwards(from: string): string | undefined {
  const file = join(from, CONFIGURATION_FILE);
  if (existsSync(file)) {
    return file;
  }
  const parent = dirname(from);
  return parent === from ? undefined : findUpwards(parent);
}

/**
 * The rules of the modules that the file names.
 *
 * @throws UsageError where a module cannot be loaded or exports no rules
 */
export async function ownRules(
  { ruleModules, file = '' }: Configuration,
  { cwd }: Pick<Terminal, 'cwd'>,
): Promise<readonly Rule[]> {
  const rules: Rule[] = [];
  for (const module of ruleModules) {
    const shown = relative(cwd, module);
    let exported: readonly unknown[];
    try {
      exported = arraysIn(await loadModule(module));
    } catch (error) {
      throw new UsageError(
        `${file}: cannot load ${placeOfSyntaxError(error, module, cwd) ?? shown}: ${firstLineOf(error)}`,
      );
    }
    rules.push(...rulesIn(exported, `${file}: ${shown}`));
  }
  return rules;
}

/**
 * The file and line at which a module cannot be parsed; it may be one that the named module loads. Node.js writes them into the first line of
 * the stack, but for ES modules only where it prints the error: then Node.js is asked to parse the module alone.
 */
export function placeOfSyntaxError(error: unknown, module: string, cwd: string): string | undefined {
  const { name, stack = '' } = (error ?? {}) as Partial<Error>;
  if (name !== 'SyntaxError') {
    return undefined;
  }
  const [, place, line] = PLACE.exec(stack) ?? PLACE.exec(syntaxErrors(module)) ?? [];
  if (place === undefined || line === undefined) {
    return undefined;
  }
  return `${relative(cwd, place.startsWith('file:') ? fileURLToPath(place) : place)}:${line}`;
}

function syntaxErrors(module: string): string {
  const { spawnSync } = createRequire(__filename)('node:child_process') as typeof ChildProcess;
  return spawnSync(process.execPath, ['--check', module], { encoding: 'utf8' }).stderr;
}

/** Of whatever a module throws. */
function firstLineOf(error: unknown): string {
  const message: unknown = (error as Partial<Error> | null | undefined)?.message;
  const [line = ''] = (typeof message === 'string' ? message : `it throws ${String(error)}`).split('\n');
  return line;
}

/** ES modules that `require` does not load: on older versions of Node.js all, on newer ones those that wait. */
const ONLY_IMPORTED: ReadonlySet<string> = new Set(['ERR_REQUIRE_ESM', 'ERR_REQUIRE_ASYNC_MODULE']);

async function loadModule(path: string): Promise<unknown> {
  try {
    return createRequire(__filename)(path) as unknown;
  } catch (error) {
    if (!ONLY_IMPORTED.has((error as NodeJS.ErrnoException | null | undefined)?.code ?? '')) {
      throw error;
    }
    const { importModule } = createRequire(__filename)('./import-module') as typeof ImportModule;
    return untilNothingElseHappens(importModule(path));
  }
}

/** A module that waits for nothing keeps no process alive: it would end here, as if all was well. */
async function untilNothingElseHappens(module: Promise<unknown>): Promise<unknown> {
  let onEnd: () => void = () => undefined;
  const end = new Promise<never>((_, reject) => {
    onEnd = () => reject(new Error('its top-level await never ends'));
  });
  process.once('beforeExit', onEnd);
  try {
    return await Promise.race([module, end]);
  } finally {
    process.removeListener('beforeExit', onEnd);
  }
}

/** What a module exports that may be its rules. */
function arraysIn(exported: unknown): readonly unknown[] {
  const { rules, default: byDefault } = (exported ?? {}) as { readonly rules?: unknown; readonly default?: unknown };
  const inner = (byDefault ?? {}) as { readonly rules?: unknown };
  return [rules, byDefault, inner.rules, exported].filter((candidate) => Array.isArray(candidate));
}

function rulesIn([found]: readonly unknown[], where: string): readonly Rule[] {
  if (!Array.isArray(found) || !found.every(isRule)) {
    throw new UsageError(`${where} must export an array of rules as \`rules\`; create each rule with \`defineRule\``);
  }
  const problem = found.map(ruleProblem).find((one) => one !== undefined);
  if (problem !== undefined) {
    throw new UsageError(`${where}: ${problem}`);
  }
  return found;
}

function isRule(value: unknown): value is Rule {
  const { id, on, check } = (value ?? {}) as Partial<Rule>;
  return typeof id === 'string' && typeof check === 'function' && ['object', 'pod-template', 'set'].includes(on ?? '');
}
