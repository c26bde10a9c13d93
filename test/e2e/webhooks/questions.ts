/**
 * Everything that a project is asked: about the objects that it judges, and KEDA about the triggers of each scaler too.
 */
import { basesOf } from './bases';
import { askAboutProject, type WebhookAnswer } from './differential';
import { embeddedBases } from './embedded-bases';
import { embeddedOperators } from './embedded-operators';
import { WEBHOOK_OPERATORS } from './operators';
import { type WebhookProject } from './projects';
import { scalerBases, scalerKind, withTarget } from './scaler-bases';
import { TRIGGER_OPERATORS } from './trigger-operators';

/** @param fits whether a valid object is asked about; all are by default */
export async function answersOf(
  project: WebhookProject,
  program: string,
  { mutants, seed }: { readonly mutants: number; readonly seed: number },
  fits: (text: string) => boolean = () => true,
): Promise<readonly WebhookAnswer[]> {
  const { embedded } = project;
  const objects = basesOf(project);
  const bases = (embedded === undefined ? objects : embeddedBases(project, embedded, objects))
    .map((base) => (project.name === 'keda' ? withTarget(base) : base))
    .filter((base) => fits(JSON.stringify(base)));
  const operators = embedded === undefined ? WEBHOOK_OPERATORS : embeddedOperators(embedded.keys);
  const answers = await askAboutProject(project, program, bases, { mutants, seed, operators });
  if (project.name !== 'keda') {
    return answers;
  }
  const triggers = await askAboutProject(
    project,
    program,
    (await scalerBases(project, program)).filter((base) => fits(JSON.stringify(base))),
    {
      mutants,
      seed,
      operators: TRIGGER_OPERATORS,
      kindOf: scalerKind,
    },
  );
  return [...answers, ...triggers];
}
