/**
 * Flags and configuration file together: a flag wins over the file.
 */
import { resolve } from 'node:path';
import { type CheckOptions } from '../../../checks/engine';
import { defaultRules } from '../../../checks/rules/registry';
import { fromFolder, type IsExcluded } from '../../checks/find-files';
import { ruleFacts } from '../../checks/rule-facts';
import { checkOptions, failOnOf, formatOf, type CheckFlags } from '../check/check-options';
import { ownRules, readConfiguration, type Configuration } from './configuration';
import { globMatcher } from './glob';
import { UsageError, type Terminal } from '../terminal';

export interface Settings<F extends CheckFlags> {
  readonly flags: F;
  readonly options: CheckOptions;
  readonly configuration: Configuration;
  readonly isExcluded: IsExcluded;
}

/** @throws UsageError that names the flag or the place in the file, the value and what would be right */
export async function settingsOf<F extends CheckFlags>(given: F, terminal: Terminal): Promise<Settings<F>> {
  const configuration = readConfiguration(given.config, terminal.cwd);
  const { file = '', k8s, crds, failOn, hygiene, baseline, severities, off } = configuration;
  const flags: F = {
    ...given,
    k8s: given.k8s ?? k8s,
    crd: given.crd ?? (crds.length > 0 ? crds : undefined),
    failOn: given.failOn ?? (failOn.length > 0 ? failOn.join(',') : undefined),
    hygiene: given.hygiene ?? hygiene,
    baseline: given.baseline ?? baseline,
  };
  formatOf(flags.format);
  failOnOf(flags.failOn);
  const own = await ownRules(configuration, terminal);
  const known = new Set([...ruleFacts(), ...own].map(({ id }) => id));
  const unknown = [...severities.keys(), ...off.map(({ rule }) => rule)].find((rule) => !known.has(rule));
  if (unknown !== undefined) {
    throw new UsageError(`${file}: rules: unknown rule ${unknown}; list the rules with \`gantry rules\``);
  }
  const options = checkOptions(flags, [...known], terminal);
  return {
    flags,
    configuration,
    options: {
      ...options,
      severities,
      ignore: [...(options.ignore ?? []), ...off],
      ...(own.length > 0 ? { rules: [...defaultRules(), ...own] } : {}),
    },
    isExcluded: excluder(configuration, given.exclude ?? [], terminal.cwd),
  };
}

/** The globs of the file start from its folder, those of the command line from the working folder. */
function excluder({ folder, exclude }: Configuration, flags: readonly string[], cwd: string): IsExcluded {
  const byFile = globMatcher(exclude);
  const byFlag = globMatcher(flags);
  return (path) => byFlag(path) || byFile(fromFolder(folder, resolve(cwd, path)));
}
