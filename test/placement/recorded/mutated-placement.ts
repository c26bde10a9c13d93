/**
 * The code of the placement core in this process, with a mark at every place. Import this before anything that imports that code.
 */
import { MutatedCode } from '../../mutation/in-process';
import { mutantsIn } from '../../mutation/mutants';

export const placementMutants = mutantsIn('src/placement').map((mutant, index) => ({ ...mutant, id: index + 1 }));
export const mutatedPlacement = new MutatedCode(placementMutants);
