/**
 * The code of the server tier in this process, with every mutant of it. Import this before anything that imports that code.
 */
import { MutatedCode } from '../../mutation/in-process';
import { mutantsIn } from '../../mutation/mutants';

export const serverMutants = mutantsIn('src/checks/server').map((mutant, index) => ({ ...mutant, id: index + 1 }));
export const mutatedServer = new MutatedCode(serverMutants);
