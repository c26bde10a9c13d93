/**
 * Reads the labels and annotations of `gantry.dev` on a pod, for the plan, for the scheduler in the cluster, and for the rules.
 * A value that cannot be read counts as unset, and is reported in the result.
 */
import {
  GANTRY_CHECKPOINT_SECONDS,
  GANTRY_EXPECTED_SECONDS,
  GANTRY_GANG_LABEL,
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_MINIMUM_RUNTIME,
  GANTRY_PREEMPTIBLE,
  GANTRY_QUEUE_LABEL,
  GANTRY_TOPOLOGY_PREFERRED,
  GANTRY_TOPOLOGY_REQUIRED,
} from '../../facts/catalog';
import { type JsonValue } from '../../facts/api/schema';
import { asObject, asString } from '../read';

export interface GantryStatement {
  readonly queue?: string;
  /**
   * Which gang, among those of the namespace: the gang label, and if another label distinguishes gangs of one name, a slash and its
   * value. Pods of a template do not have that label yet: their gang is the name alone.
   */
  readonly gang?: string;
  /** Pods that have to run for any to run. */
  readonly minMember?: number;
  /** Label that distinguishes gangs of one name. */
  readonly perLabel?: string;
  readonly topologyRequired?: string;
  readonly topologyPreferred?: string;
  readonly minimumRuntimeSeconds?: number;
  readonly expectedSeconds?: number;
  readonly checkpointSeconds?: number;
  readonly preemptible?: boolean;
  readonly problems: readonly GantryProblem[];
}

/** A value that cannot be read. */
export interface GantryProblem {
  readonly key: string;
  readonly found: JsonValue;
  readonly expected: string;
}

/** A label key: an optional DNS name and `/`, then at most 63 letters, digits, `-`, `_` and `.`. */
const LABEL_KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const WHOLE = /^\d{1,15}$/;

/** @param metadata `metadata` of a pod or of a pod template, of any shape */
export function readGantryStatement(metadata: JsonValue | undefined): GantryStatement {
  const labels = asObject(asObject(metadata).labels);
  const annotations = asObject(asObject(metadata).annotations);
  const problems: GantryProblem[] = [];
  const read = <T>(key: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const found = annotations[key];
    if (found === undefined || found === null) {
      return undefined;
    }
    const value = typeof found === 'string' ? parse(found) : undefined;
    if (value === undefined) {
      problems.push({ key, found, expected });
    }
    return value;
  };
  const count = (key: string): number | undefined =>
    read(
      key,
      (text) => (WHOLE.test(text) && Number(text) > 0 ? Number(text) : undefined),
      'a whole number greater than or equal to 1',
    );
  const seconds = (key: string): number | undefined =>
    read(key, (text) => (WHOLE.test(text) ? Number(text) : undefined), 'whole seconds');
  const labelKey = (key: string): string | undefined =>
    read(
      key,
      (text) => (LABEL_KEY.test(text) ? text : undefined),
      'the key of a label, such as topology.kubernetes.io/zone',
    );
  const perLabel = labelKey(GANTRY_GANG_PER_LABEL);
  const name = nonEmpty(labels[GANTRY_GANG_LABEL]);
  const part = perLabel === undefined ? undefined : nonEmpty(labels[perLabel]);
  return {
    queue: nonEmpty(labels[GANTRY_QUEUE_LABEL]),
    gang: name === undefined || part === undefined ? name : `${name}/${part}`,
    perLabel,
    minMember: count(GANTRY_GANG_MIN_MEMBER),
    topologyRequired: labelKey(GANTRY_TOPOLOGY_REQUIRED),
    topologyPreferred: labelKey(GANTRY_TOPOLOGY_PREFERRED),
    minimumRuntimeSeconds: seconds(GANTRY_MINIMUM_RUNTIME),
    expectedSeconds: seconds(GANTRY_EXPECTED_SECONDS),
    checkpointSeconds: seconds(GANTRY_CHECKPOINT_SECONDS),
    preemptible: read(
      GANTRY_PREEMPTIBLE,
      (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
      '"true" or "false"',
    ),
    problems,
  };
}

function nonEmpty(value: JsonValue | undefined): string | undefined {
  const text = asString(value);
  return text === '' ? undefined : text;
}
