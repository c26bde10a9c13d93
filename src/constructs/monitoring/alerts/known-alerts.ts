/**
 * Names of alerts and groups in options: the type checker compares them only where there is one.
 */
import { nearestName } from '../../../facts/spelling';
import { oneOf } from '../../../facts/words';

/** @throws if a name is not one of the known ones */
export function requireKnown(option: string, names: readonly string[], known: readonly string[]): void {
  for (const name of names.filter((each) => !known.includes(each))) {
    const near = nearestName(name, known);
    throw new Error(
      `${option}: unknown name "${name}"${near === undefined ? '' : ` (did you mean "${near}"?)`}. Use ${oneOf(known)}.`,
    );
  }
}
