/**
 * On which GPUs of the catalog a layout of MIG instances fits, and the proof of a layout that a program states.
 */
import {
  ACCELERATORS,
  type AcceleratorFacts,
  type AcceleratorName,
  acceleratorProblem,
  acceleratorsNamed,
  findAccelerator,
  migProfiles,
} from '../../facts/catalog';
import { type MigLayout, migLayoutProblems } from '../../facts/catalog/mig-layout';

/** The GPUs of the catalog on which a layout fits. */
export function gpusForLayout(layout: MigLayout): readonly AcceleratorFacts[] {
  return ACCELERATORS.filter((gpu) => gpu.mig.length > 0 && migLayoutProblems(gpu, layout).length === 0);
}

/** The GPUs of the catalog that have every profile of a layout, whether or not the counts fit. */
export function gpusWithProfiles(layout: MigLayout): readonly AcceleratorFacts[] {
  const names = Object.keys(layout).filter((name) => (layout[name] ?? 0) > 0);
  return ACCELERATORS.filter(
    (gpu) => gpu.mig.length > 0 && names.every((name) => gpu.mig.some((profile) => profile.name === name)),
  );
}

/**
 * Proves a layout against the GPU that it is meant for.
 *
 * @throws if the GPU is not in the catalog, or the layout does not fit it; the error names every reason
 */
export function provenLayout(gpu: AcceleratorName, layout: MigLayout): AcceleratorFacts {
  // Boards that share all profiles need not be distinguished here.
  const [facts] = migProfiles(gpu).length > 0 ? acceleratorsNamed(gpu) : [findAccelerator(gpu)];
  if (facts === undefined) {
    throw new Error(
      `gpu: ${acceleratorProblem(gpu)}. GPUs with MIG are ${ACCELERATORS.filter(({ mig }) => mig.length > 0)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  }
  const entries = Object.entries(layout);
  if (entries.length === 0) {
    throw new Error(
      `layout {} must not be empty. Set profiles of the ${facts.name} with their counts, for example { '${facts.mig[0]?.name ?? '1g.10gb'}': 1 }.`,
    );
  }
  const badCount = entries.find(([, count]) => !Number.isInteger(count) || count < 1);
  if (badCount !== undefined) {
    throw new Error(
      `layout: ${badCount[0]} must be a whole number of instances greater than or equal to 1, not ${badCount[1]}.`,
    );
  }
  const problems = migLayoutProblems(facts, layout);
  if (problems.length > 0) {
    throw new Error(`layout ${JSON.stringify(layout)} does not fit: ${problems.join('; ')}.`);
  }
  return facts;
}
