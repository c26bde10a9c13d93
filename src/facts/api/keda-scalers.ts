/**
 * What KEDA's scalers take as parameters (`triggers[].metadata`), as its own code says. Read when first asked for.
 *
 * `external` and `external-push` take any further parameter.
 */
import { readFileSync } from 'fs';
import { brotliDecompressSync } from 'zlib';
import { schemaFile } from './schema-files';

/**
 * What KEDA reads the text of a parameter as: a JSON number, Go's words for true and false, a Go duration or milliseconds, items between
 * separators, `key=value` pairs between separators, or a URL's query.
 */
export type KedaValue = 'text' | 'integer' | 'number' | 'boolean' | 'duration' | 'texts' | 'integers' | 'map' | 'query';

/** How a time is written: as a number of a unit, by the hands of a clock, or as Go reads a duration. */
export type KedaTime = 'seconds' | 'minutes' | 'hh:mm' | 'hh:mm:ss' | 'go';

export interface KedaScalerParameter {
  /** Key in `metadata`; with `fromEnv` also `<name>FromEnv`. `query.*` represents every key that begins with `query.`. */
  readonly name: string;
  /** Other keys under which the same is read. */
  readonly alternatives?: readonly string[];
  readonly value: KedaValue;
  /** How the time is written that the parameter is, where `value` does not say it. */
  readonly time?: KedaTime;
  /** Name of the property of a typed trigger, where it is not `name`. */
  readonly property?: string;
  /** May be left out. A parameter with a default may be, too, whatever this says. */
  readonly optional: boolean;
  /** What one replica is good for: it only seems to be optional, and is demanded unless scalingModifiers make one value of all triggers. */
  readonly target?: true;
  readonly default?: string;
  readonly allowedValues?: readonly string[];
  /** No two of these together in one list. */
  readonly exclusiveValues?: readonly string[];
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
    const list = JSON.parse(
      brotliDecompressSync(readFileSync(schemaFile('keda-scalers'))).toString('utf8'),
    ) as KedaScaler[];
    scalers = new Map(list.map((scaler) => [scaler.type, scaler]));
  }
  return scalers;
}
