/**
 * How KEDA reads the parameters of a trigger.
 */
import { type KedaScaler, type KedaScalerParameter } from '../../facts/api/keda-scalers';

/** Parameters that KEDA demands and the metadata do not give, by any of their names or by a variable. */
export function missingParameters(
  scaler: KedaScaler,
  metadata: Readonly<Record<string, unknown>>,
): readonly KedaScalerParameter[] {
  return scaler.parameters.filter(({ name, alternatives = [], optional, default: standard, deprecated }) => {
    if (optional || standard !== undefined || deprecated === 'removed') {
      return false;
    }
    return ![name, ...alternatives].some(
      (candidate) => isGiven(metadata[candidate]) || isGiven(metadata[`${candidate}FromEnv`]),
    );
  });
}

function isGiven(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
