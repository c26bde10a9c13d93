/**
 * The settings of remediation, and what is said about those that cannot be used.
 */
import { type JsonValue } from '../../../src/facts/api/schema';
import { DEFAULT_REMEDIATION, readRemediationSettings } from '../../../src/planning/remediation';

test('nothing set means the defaults, which can be written down', () => {
  expect(readRemediationSettings({})).toEqual(DEFAULT_REMEDIATION);
  const written = JSON.parse(JSON.stringify(DEFAULT_REMEDIATION)) as JsonValue;
  expect(readRemediationSettings(written)).toEqual(DEFAULT_REMEDIATION);
});

test('causes of each kind', () => {
  const rules: JsonValue[] = [
    { name: 'a', cause: { alert: 'GpuHot', labels: { severity: 'critical' } }, afterSeconds: 5, actions: ['cordon'] },
    { name: 'b', cause: { report: { devicesBelow: 8 } }, afterSeconds: 0, actions: ['evict'], graceSeconds: 30 },
  ];
  expect(readRemediationSettings({ rules }).rules).toEqual(rules);
});

const RULE = { name: 'a', cause: { condition: 'Bad' }, afterSeconds: 5, actions: ['taint'] };

test.each<readonly [JsonValue, string]>([
  [[], 'the settings must be an object'],
  [{ rule: [] }, 'unknown field "rule"'],
  [{ maxPerRack: 0 }, 'maxPerRack must be a whole number from 1 to 10000, not 0'],
  [{ maxUnavailablePercent: 101 }, 'maxUnavailablePercent must be a whole number from 1 to 100, not 101'],
  [{ poolLabel: 'a b' }, 'poolLabel must be a label key, not "a b"'],
  [{ devicePluginLabels: {} }, 'devicePluginLabels must have at least one label'],
  [{ devicePluginLabels: { app: 5 } }, 'devicePluginLabels must be an object of strings'],
  [{ rules: {} }, 'rules must be a list of at most 100 rules'],
  [{ rules: [RULE, RULE] }, 'rules[1].name: duplicate value "a"'],
  [{ rules: [{ ...RULE, cause: {} }] }, 'rules[0].cause must have exactly one of condition, alert'],
  [{ rules: [{ ...RULE, cause: { condition: 'A', alert: 'B' } }] }, 'must have exactly one of'],
  [{ rules: [{ ...RULE, cause: { report: {} } }] }, 'rules[0].cause.report must have devicesBelow or'],
  [{ rules: [{ ...RULE, actions: ['reboot'] }] }, 'rules[0].actions must be a list of one or more different actions'],
  [{ rules: [{ ...RULE, actions: ['taint', 'taint'] }] }, 'rules[0].actions must be a list'],
  [{ rules: [{ ...RULE, actions: ['evict', 'move'] }] }, 'must not have both evict and move'],
  [{ rules: [{ ...RULE, graceSeconds: -1 }] }, 'rules[0].graceSeconds must be a whole number from 0'],
])('%j is refused', (value, message) => {
  expect(() => readRemediationSettings(value)).toThrow(message);
});
