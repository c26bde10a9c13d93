/**
 * The DCGM exporter's counters: CSV in a ConfigMap.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString, objectsAt } from '../../../manifests/read';
import { DCGM_OPERATOR_KEY, DCGM_STANDALONE_KEY } from '../dcgm-counters-text';
import { dcgmCountersOf, embeddedRule, namedMaps, problemRule } from './embedded';

const ROW = 'GO-DCGM';
const SOURCE = 'dcgm-exporter, internal/pkg/counters/counter_config.go';
const ENDS = 'The exporter rejects the whole file and exits: there are no GPU metrics.';

export const dcgmCounterRules: readonly Rule[] = [
  embeddedRule(
    'dcgm-counters-are-csv',
    {
      row: ROW,
      tier: 'advice',
      summary: 'Counters of the DCGM exporter must be CSV, not YAML.',
      why: 'The exporter reads only CSV. It rejects a list in YAML, or keeps its default counters if the list is in a key that it does not read.',
      source: SOURCE,
      fix: `Write each counter as a line of CSV (name, type, help) in the key ${DCGM_OPERATOR_KEY}.`,
    },
    dcgmCountersOf,
    function* ({ key, path, reading }, { id }, { set }) {
      const meant = /dcgm/i.test(`${id.name} ${key}`) || namedMaps(set, 'dcgmExporter').has(id.name);
      for (const { kind, message, expected } of reading.problems) {
        // Other programs may have lists of such names of their own.
        if (kind === 'not-csv') {
          yield { path, message, expected, ...(meant ? {} : { severity: 'warning' as const }) };
        }
      }
    },
  ),

  problemRule(
    'dcgm-counter-has-three-fields',
    {
      row: ROW,
      summary:
        'Each line of counters must have three fields: name, type, help. Comments begin in the first column, quotes directly after a comma.',
      why: ENDS,
      source: `${SOURCE}; Go, encoding/csv`,
      fix: 'Remove the comma from the help text of the line (name, type, "help"), or put the text in quotes directly after the comma: DCGM_FI_DEV_GPU_UTIL, gauge, "help".',
    },
    dcgmCountersOf,
    'fields',
    'quote',
  ),

  problemRule(
    'dcgm-counter-type-known',
    {
      row: ROW,
      summary: 'The type of a counter must be gauge, counter, histogram, summary, or label.',
      why: ENDS,
      source: 'dcgm-exporter, internal/pkg/counters/variables.go promMetricType',
      fix: 'Set the second field of the line to gauge, counter, histogram, summary, or label, as in "DCGM_FI_DEV_GPU_UTIL, gauge, help".',
    },
    dcgmCountersOf,
    'type',
  ),

  problemRule(
    'dcgm-counter-field-known',
    {
      row: ROW,
      summary:
        "A counter must have the name of a DCGM field (DCGM_FI_…) or of the exporter's own metrics (DCGM_EXP_…).",
      why: ENDS,
      source: SOURCE,
      fix: 'Set the first field of the line to a name such as DCGM_FI_DEV_GPU_UTIL.',
    },
    dcgmCountersOf,
    'field-name',
  ),

  problemRule(
    'dcgm-counter-stated-once',
    {
      row: ROW,
      tier: 'advice',
      severity: 'warning',
      summary: 'A counter must be listed only once.',
      why: 'The metric is exposed twice with the same labels, and Prometheus drops duplicate samples.',
      source: `${SOURCE}; Prometheus exposition format`,
      fix: `Remove the duplicate line from ${DCGM_OPERATOR_KEY}.`,
    },
    dcgmCountersOf,
    'twice',
  ),

  embeddedRule(
    'dcgm-counters-key-read',
    {
      row: ROW,
      tier: 'advice',
      severity: 'error',
      summary: `Counters must be in the key that is read: ${DCGM_OPERATOR_KEY} for the GPU operator, ${DCGM_STANDALONE_KEY} for a standalone exporter.`,
      why: 'Another key has no effect, and the exporter keeps its default counters.',
      source: `${cite('nvidia-gpu-operator')}, dcgmExporter.config; ${SOURCE} readConfigMap`,
      fix: `Rename the key in data to ${DCGM_OPERATOR_KEY}.`,
    },
    dcgmCountersOf,
    function* ({ key, path, reading }, manifest, { set }) {
      if (key === DCGM_OPERATOR_KEY || reading.problems.some(({ kind }) => kind === 'not-csv')) {
        return;
      }
      const named = namedMaps(set, 'dcgmExporter').has(manifest.id.name);
      if (key === DCGM_STANDALONE_KEY && !named) {
        return;
      }
      if (!named && isMounted(set, manifest)) {
        return;
      }
      const message = named
        ? `the GPU operator reads the key "${DCGM_OPERATOR_KEY}" of this ConfigMap, not "${key}"`
        : `neither the GPU operator nor a standalone exporter reads the key "${key}"`;
      // The pods that mount the file may not be in the set.
      yield {
        path,
        message,
        found: key,
        expected: DCGM_OPERATOR_KEY,
        fix: `Rename the key "${key}" in data to ${DCGM_OPERATOR_KEY}.`,
        ...(named ? {} : { severity: 'info' as const }),
      };
    },
  ),
];

const mountedBySet = new WeakMap<ManifestSet, ReadonlySet<string>>();

/** Whether pods of the set mount a ConfigMap: then a collector of one's own may read any key, and name its file with --collectors. */
function isMounted(set: ManifestSet, { id }: Manifest): boolean {
  let mounted = mountedBySet.get(set);
  if (mounted === undefined) {
    mounted = new Set(
      set.podTemplates.flatMap(({ manifest, spec }) =>
        objectsAt(spec, '/volumes').flatMap(({ value }) => {
          const name = asString(asObject(value.configMap).name);
          return name === undefined ? [] : [`${manifest.id.namespace}/${name}`];
        }),
      ),
    );
    mountedBySet.set(set, mounted);
  }
  return mounted.has(`${id.namespace}/${id.name}`);
}
