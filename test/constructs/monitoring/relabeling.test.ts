/**
 * Which relabelings Prometheus takes: for each field of each action a step that is refused, and the same step with what the action allows.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf } from '../../support/findings';

/** What is said about a step: of a monitor, and with other names of the fields, of a scrape configuration. */
function problems(step: JsonObject): readonly (readonly [string, string])[] {
  const monitor = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name: 'a', namespace: 'ai' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      podMetricsEndpoints: [{ port: 'm', metricRelabelings: [{}, step] }],
    },
  };
  const list = '/spec/podMetricsEndpoints/0/metricRelabelings/1/';
  return findingsOf(JSON.stringify(monitor), monitoringRules)
    .filter(({ path }) => path.startsWith(list))
    .map(({ path, message }) => [path.slice(list.length), message] as const);
}

const equal = { action: 'keepequal', sourceLabels: ['a'], targetLabel: 'b' };
const drop = { action: 'labeldrop', regex: 'a' };
const lower = { action: 'lowercase', sourceLabels: ['a'], targetLabel: 'b' };
const ONLY_LABELS = 'keepequal allows only sourceLabels and targetLabel';
const ONLY_REGEX = 'labeldrop allows only regex';

test.each<readonly [JsonObject, string, string]>([
  [{ action: 'dropped' }, 'action', 'unknown action "dropped"'],
  [{ action: 'hashmod', targetLabel: 'a' }, 'modulus', 'greater than 0'],
  [{ action: 'hashmod', targetLabel: 'a', modulus: 0 }, 'modulus', 'greater than 0'],
  [{ action: 'hashmod', modulus: 1 }, 'targetLabel', 'hashmod requires targetLabel'],
  [{ sourceLabels: ['a'] }, 'targetLabel', 'replace requires targetLabel'],
  [{ action: '', sourceLabels: ['a'] }, 'targetLabel', 'replace requires targetLabel'],
  [{ ...lower, targetLabel: '' }, 'targetLabel', 'lowercase requires targetLabel'],
  [{ ...equal, targetLabel: '' }, 'targetLabel', 'keepequal requires targetLabel'],
  [{ action: 'keep', sourceLabels: ['a'], regex: '(b' }, 'regex', 'not valid RE2'],
  [{ ...lower, replacement: 'c' }, 'replacement', 'replacement must not be set for the action lowercase'],
  [{ ...lower, action: 'uppercase', replacement: 'c' }, 'replacement', 'must not be set for the action uppercase'],
  [{ ...equal, replacement: 'c' }, 'replacement', 'must not be set for the action keepequal'],
  [{ ...equal, action: 'dropequal', replacement: 'c' }, 'replacement', 'must not be set for the action dropequal'],
  [{ ...equal, regex: 'c' }, 'regex', ONLY_LABELS],
  [{ ...equal, separator: ',' }, 'regex', ONLY_LABELS],
  [{ ...equal, separator: '' }, 'regex', ONLY_LABELS],
  [{ ...equal, modulus: 1 }, 'regex', ONLY_LABELS],
  [{ ...equal, action: 'dropequal', regex: 'c' }, 'regex', 'dropequal allows only'],
  [{ ...drop, sourceLabels: ['a'] }, 'sourceLabels', ONLY_REGEX],
  [{ ...drop, targetLabel: 'a' }, 'sourceLabels', ONLY_REGEX],
  [{ ...drop, replacement: 'a' }, 'sourceLabels', ONLY_REGEX],
  [{ ...drop, separator: ',' }, 'sourceLabels', ONLY_REGEX],
  [{ ...drop, separator: '' }, 'sourceLabels', ONLY_REGEX],
  [{ ...drop, modulus: 1 }, 'sourceLabels', ONLY_REGEX],
  [{ ...drop, action: 'labelkeep', targetLabel: 'a' }, 'sourceLabels', 'labelkeep allows only regex'],
])('the relabeling %j is refused', (step, field, message) => {
  expect(problems(step)).toEqual([[field, expect.stringContaining(message)]]);
});

test.each<readonly [JsonObject]>([
  [{ sourceLabels: ['a'], targetLabel: 'b' }],
  [{ sourceLabels: ['a'], targetLabel: '${1}_x' }],
  [{ action: 'hashmod', sourceLabels: ['a'], targetLabel: 'b', modulus: 1 }],
  [{ action: 'labelmap', regex: 'a_(.+)', replacement: '${1}' }],
  [{ action: 'keep', sourceLabels: ['a'], regex: 'b' }],
  [{ action: 'drop', sourceLabels: ['a'], regex: 'b' }],
  [{ ...lower, replacement: '$1' }],
  [{ ...lower, action: 'UPPERCASE', regex: 'c' }],
  [{ ...equal, replacement: '$1', regex: '(.*)', separator: ';', modulus: 0 }],
  [{ ...equal, regex: '', separator: null }],
  [{ ...drop, action: 'LabelDrop', targetLabel: '', sourceLabels: [], replacement: '$1', separator: ';', modulus: 0 }],
])('the relabeling %j is taken', (step) => {
  expect(problems(step)).toEqual([]);
});
