/**
 * The DCGM exporter's counters: CSV in a ConfigMap.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rule';
import { DCGM_OPERATOR_KEY, DCGM_STANDALONE_KEY } from '../dcgm-counters-text';
import { dcgmCountersOf, embeddedRule, namedMaps, problemRule } from './embedded';

const ROW = 'GO-DCGM';
const SOURCE = 'dcgm-exporter, internal/pkg/counters/counter_config.go';
const ENDS = 'The exporter refuses the whole file and ends: no metric of any GPU.';

export const dcgmCounterRules: readonly Rule[] = [
  embeddedRule(
    'dcgm-counters-are-csv',
    {
      row: ROW,
      tier: 'advice',
      summary: 'Counters of the DCGM exporter are CSV, not YAML.',
      why: 'The exporter reads CSV only. A list in YAML is refused, or stands under a key that nobody reads while the exporter keeps its default counters.',
      source: SOURCE,
      fix: `Write one line per counter (name, type, help) under the key ${DCGM_OPERATOR_KEY}.`,
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
        'Each line of counters has three fields: name, type, help. Comments begin in the first column, quotes right after a comma.',
      why: ENDS,
      source: `${SOURCE}; Go, encoding/csv`,
      fix: 'Take the comma out of the help text, or put the text in quotes that begin right after the comma.',
    },
    dcgmCountersOf,
    'fields',
    'quote',
  ),

  problemRule(
    'dcgm-counter-type-known',
    {
      row: ROW,
      summary: 'The type of a counter is gauge, counter, histogram, summary or label.',
      why: ENDS,
      source: 'dcgm-exporter, internal/pkg/counters/variables.go promMetricType',
      fix: 'Use one of the five, in lower case.',
    },
    dcgmCountersOf,
    'type',
  ),

  problemRule(
    'dcgm-counter-field-known',
    {
      row: ROW,
      summary: "A counter is named as DCGM names its fields (DCGM_FI_…), or is one of the exporter's own (DCGM_EXP_…).",
      why: ENDS,
      source: SOURCE,
      fix: 'Correct the name.',
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
      summary: 'A counter stands in the list once.',
      why: 'The metric is exposed twice with the same labels, which Prometheus drops as duplicate samples.',
      source: `${SOURCE}; Prometheus exposition format`,
      fix: 'Take one of the lines out.',
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
      summary: `Counters stand under the key that is read: ${DCGM_OPERATOR_KEY} for the GPU operator, ${DCGM_STANDALONE_KEY} for a stand-alone exporter.`,
      why: 'Under another key nobody reads them, and the exporter keeps its default counters.',
      source: `${cite('nvidia-gpu-operator')}, dcgmExporter.config; ${SOURCE} readConfigMap`,
      fix: `Rename the key to ${DCGM_OPERATOR_KEY}.`,
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
      const message = named
        ? `the GPU operator reads ${DCGM_OPERATOR_KEY} of this ConfigMap, not ${key}`
        : `neither the GPU operator nor a stand-alone exporter reads the key ${key}`;
      // A collector of one's own may mount any file, and name it with --collectors.
      yield {
        path,
        message,
        found: key,
        expected: DCGM_OPERATOR_KEY,
        ...(named ? {} : { severity: 'warning' as const }),
      };
    },
  ),
];
