/**
 * The code of the rules in this process, with a mark at every place, where the command asks for mutants. Import this before anything that imports that
 * code.
 */
import { oneOf } from '../../../../src/facts/words';
import { MutatedCode } from '../../../mutation/in-process';
import { type Mutant, mutantsIn } from '../../../mutation/mutants';
import { recordOptions } from '../../../mutation/recording';
import { type Domain, domains } from './domains';

export const options = recordOptions(process.argv.slice(2));

/** The domains that the command names, or all. */
export const selectedDomains = selected(options.positionals);

function selected(wanted: readonly string[]): readonly Domain[] {
  const all = domains();
  const unknown = wanted.find((name) => all.every((domain) => domain.name !== name));
  if (unknown !== undefined) {
    throw new Error(`unknown domain "${unknown}": use ${oneOf(all.map(({ name }) => name))}`);
  }
  return wanted.length === 0 ? all : all.filter(({ name }) => wanted.includes(name));
}

const mutants = (options.mutants === 0 ? [] : selectedDomains)
  .flatMap(({ folder }) => mutantsIn(folder))
  .map((mutant, index) => ({ ...mutant, id: index + 1 }));

export const mutatedRules = new MutatedCode(mutants);

export function mutantsOf({ folder }: Domain): readonly Mutant[] {
  return mutants.filter(({ file }) => file.startsWith(`${folder}/`));
}
