import { type JsonObject } from '../../../src/facts/api/schema';
import { volcanoRules } from '../../../src/constructs/volcano/rules';
import { findingsOf } from '../../support/findings';
import { flowCases } from './cases/flows';
import { jobCases } from './cases/jobs';
import { jobPluginCases } from './cases/job-plugins';
import { podGroupCases } from './cases/pod-groups';
import { queueCases } from './cases/queues';
import { schedulerCases } from './cases/scheduler';
import { configMap, cronJob, job, jobFlow, jobTemplate, type Manifests, plugins, queue } from './cases/world';

const allCases = [...queueCases, ...podGroupCases, ...jobCases, ...jobPluginCases, ...flowCases, ...schedulerCases];

const yaml = (manifests: Manifests): string => manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
const firing = (manifests: Manifests): readonly string[] =>
  findingsOf(yaml(manifests), volcanoRules).map(({ rule }) => rule);

describe.each(allCases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('every rule has a case in which it fires and one in which it is silent', () => {
  const covered = allCases.filter(({ fires, silent }) =>
    [fires, silent].every((cases) => Object.keys(cases).length > 0),
  );
  expect(covered.map(({ rule }) => rule).sort()).toEqual(volcanoRules.map(({ id }) => id).sort());
});

test('ids are unique, in the domain, and say what must hold in kebab case', () => {
  const ids = volcanoRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^volcano\/[a-z0-9]+(-[a-z0-9]+)+$/);
  }
});

test('each rule says why, where it comes from and what to do', () => {
  for (const { id, summary, why, source, fix } of volcanoRules) {
    for (const text of [summary, why, source, fix]) {
      expect([id, text.length > 10]).toEqual([id, true]);
    }
  }
});

test.each([
  [6, 'c0 5 + c1 5 + c2 5 + c3 5 + c4 5 + c5 5'],
  [7, 'c0 5 + c1 5 + c2 5 + c3 5 + c4 5 + 2 more'],
])('a sum over %d children names at most six terms', (count, terms) => {
  const children = Array.from({ length: count }, (_, i) => queue(`c${i}`, { parent: 'p', deserved: { cpu: 5 } }));
  const messages = findingsOf(yaml([queue('p', { deserved: { cpu: 8 } }), ...children]), volcanoRules).map(
    ({ message }) => message,
  );
  expect(messages.find((message) => message.includes(' + '))).toContain(terms);
});

test('no rule finds fault with a sound platform', () => {
  const platform = [
    configMap(),
    queue('ai', { deserved: { cpu: 96, memory: '1Ti' }, capability: { cpu: 96 } }),
    queue('research', { parent: 'ai', deserved: { cpu: 64, memory: '512Gi' }, guarantee: { resource: {} } }),
    job({ queue: 'research' }),
    cronJob(),
    jobTemplate('prepare'),
    jobTemplate('train'),
    jobFlow([{ name: 'prepare' }, { name: 'train', dependsOn: { targets: ['prepare'] } }]),
  ];
  expect(findingsOf(yaml(platform), volcanoRules)).toEqual([]);
});

test.each([
  [
    'predicate.CacheEnabled',
    'Rename the key tiers[0].plugins[2].arguments["predicate.CacheEnabled"] to predicate.CacheEnable.',
  ],
  [
    'predicates.CacheEnable',
    'Rename the key tiers[0].plugins[2].arguments["predicates.CacheEnable"] to predicate.CacheEnable.',
  ],
  [
    'predicate.GPUNumberEnable',
    'Replace tiers[0].plugins[2].arguments["predicate.GPUNumberEnable"] with deviceshare.GPUNumberEnable in the arguments of the deviceshare plugin.',
  ],
  ['predicate.Other', 'Remove tiers[0].plugins[2].arguments["predicate.Other"].'],
])('the fix of the unknown argument %s renames it only if its own part is near', (argument, fix) => {
  const config = plugins(`- name: predicates\n  arguments:\n    ${argument}: true`);
  const findings = findingsOf(yaml([config]), volcanoRules);
  expect(findings.filter(({ rule }) => rule === 'volcano/scheduler-config-key-known').map((one) => one.fix)).toEqual([
    fix,
  ]);
});

test('the fix of a cycle of queues names the queue only if it is its own parent', () => {
  const fixes = (...queues: readonly JsonObject[]): readonly (string | undefined)[] =>
    findingsOf(yaml(queues), volcanoRules)
      .filter(({ rule }) => rule === 'volcano/queue-parents-form-a-tree')
      .map(({ fix }) => fix);
  expect(fixes(queue('a', { parent: 'a' }))).toEqual(['Set spec.parent to another queue, such as root.']);
  const circle = 'Set spec.parent of one queue in the cycle to a queue outside it, or to `root`.';
  expect(fixes(queue('a', { parent: 'b' }), queue('b', { parent: 'a' }))).toEqual([circle, circle]);
});
