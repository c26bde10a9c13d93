/**
 * The scheduler's view of the cluster in this process, with a mark at every place. Import this before anything that imports that code.
 */
import { MutatedCode } from '../../../mutation/in-process';
import { mutantsIn } from '../../../mutation/mutants';

const FILES = ['src/runtime/kubernetes/world', 'src/runtime/kubernetes/assumptions.ts'];

export const worldMutants = FILES.flatMap(mutantsIn).map((mutant, index) => ({ ...mutant, id: index + 1 }));
export const mutatedWorld = new MutatedCode(worldMutants);
