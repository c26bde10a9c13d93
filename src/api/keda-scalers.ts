/**
 * What KEDA says of the parameters of each of its scalers (`triggers[].metadata`), from the schema that the project generates of its own
 * code. Read when first asked for.
 *
 * "Required" is a hint: for scalers with alternatives (Redis' `address` or `host` and `port`) the schema marks every alternative so.
 * `external` and `external-push` take any further parameter.
 */
import { readFileSync } from 'fs';
import { brotliDecompressSync } from 'zlib';
import { schemaFile } from './schema-files';

export interface KedaScalerParameter {
  /** Key in `metadata`; with `fromEnv` also `<name>FromEnv`. */
  readonly name: string;
  /** KEDA states `string` for all: every value is a YAML string. */
  readonly type: string;
  /** May be left out. A parameter with a default may be, too, whatever this says. */
  readonly optional: boolean;
  readonly default?: string;
  readonly allowedValues?: readonly string[];
  /** `removed`: KEDA refuses the trigger; `announced`: it still works and logs. */
  readonly deprecated?: 'removed' | 'announced';
  /** Between the items of a list; KEDA splits at a comma where there is none. */
  readonly separator?: string;
  /** Between the ends of a range, `1-4`. */
  readonly rangeSeparator?: string;
  /** May stand in `triggers[].metadata`. */
  readonly fromMetadata: boolean;
  /** May name a variable of the container in `metadata.<name>FromEnv`. */
  readonly fromEnv: boolean;
  /** May come from a TriggerAuthentication. */
  readonly fromAuthentication: boolean;
}

export interface KedaScaler {
  /** As in `triggers[].type`. */
  readonly type: string;
  /** Sorted by name. */
  readonly parameters: readonly KedaScalerParameter[];
}

let scalers: ReadonlyMap<string, KedaScaler> | undefined;

/** Every scaler, sorted by type. */
export function kedaScalers(): readonly KedaScaler[] {
  return [...byType().values()];
}

/** @returns undefined for a type that KEDA does not have */
export function kedaScaler(type: string): KedaScaler | undefined {
  return byType().get(type);
}

function byType(): ReadonlyMap<string, KedaScaler> {
  if (!scalers) {
    const list = JSON.parse(brotliDecompressSync(readFileSync(schemaFile('keda-scalers'))).toString('utf8')) as KedaScaler[];
    scalers = new Map(list.map((scaler) => [scaler.type, scaler]));
  }
  return scalers;
}
