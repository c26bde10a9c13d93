/**
 * Rules are also written without the package's constructs, which check the calls of a program first: this suite loads its own modules.
 *
 * @jest-environment node
 */
import { Testing as Cdk8sTesting } from 'cdk8s';
import { Checks } from '../../../src/checks/synth/checks-of';
import { type Rule } from '../../../src/checks/rules/rule';
import { defineRule, ManifestSet, runRule, type RuleDefinition, valueAt } from '../../../src/interfaces/checks';

const OWNER: RuleDefinition = {
  on: 'object',
  id: 'acme/owner-label',
  kinds: ['batch/Job'],
  summary: 'Each Job has an owner.',
  fix: 'Set metadata.labels.owner to the name of a team.',
  check: ({ object }) =>
    valueAt(object, '/metadata/labels/owner') === undefined ? [{ message: 'label "owner" is required' }] : [],
};
const JOB = 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\n';

test('what a definition leaves out has a default', () => {
  expect(defineRule(OWNER)).toMatchObject({
    tier: 'advice',
    severity: 'error',
    why: 'Each Job has an owner.',
    source: 'acme',
  });
  expect(defineRule({ ...OWNER, tier: 'webhook', severity: 'info', why: 'w', source: 's' })).toMatchObject({
    tier: 'webhook',
    severity: 'info',
    why: 'w',
    source: 's',
  });
});

test.each([
  ['owner', 'rule id "owner" must be domain/requirement in lower case, such as acme/owner-label'],
  ['Acme/owner', 'rule id "Acme/owner" must be'],
  ['acme/owner_label', 'must be domain/requirement in lower case, such as acme/owner-label'],
])('an id of %s is rejected', (id, message) => {
  expect(() => defineRule({ ...OWNER, id })).toThrow(message);
});

test.each([
  [
    ['batch/v1/Job'],
    'kind "batch/v1/Job" must be group/Kind, or Kind alone for the core group; a rule covers all versions: "batch/Job"',
  ],
  [['batch/job'], 'kind "batch/job" must be group/Kind'],
  [[], 'kinds must name at least one kind'],
  [['Pod', 'Deployment'], 'rule acme/owner-label: kind "Deployment" is not in the core group: write "apps/Deployment"'],
  [['Job'], 'rule acme/owner-label: kind "Job" is not in the core group: write "batch/Job" or "batch.volcano.sh/Job"'],
])('kinds of %j are rejected', (kinds, message) => {
  expect(() => defineRule({ ...OWNER, on: 'object', kinds })).toThrow(message);
});

test.each(['*', 'Pod', 'Event', 'Widget', 'example.com/Deployment', 'apps/Deployment', 'scheduling.volcano.sh/Queue'])(
  'the kind %s is accepted',
  (kind) => {
    expect(() => defineRule({ ...OWNER, on: 'object', kinds: [kind] })).not.toThrow();
  },
);

test.each(['summary', 'fix'] as const)('an empty %s is rejected', (field) => {
  expect(() => defineRule({ ...OWNER, [field]: ' ' })).toThrow(`rule acme/owner-label: ${field} must not be empty`);
});

test.each([
  [{ summary: undefined }, 'rule acme/owner-label: summary must not be empty'],
  [{ on: 'pod' }, 'rule acme/owner-label: on must be object, pod-template, or set, not "pod"'],
  [{ severity: 'fatal' }, 'rule acme/owner-label: severity must be error, warning, or info, not "fatal"'],
  [{ tier: 'api' }, 'rule acme/owner-label: tier must be schema, cel, server, webhook, or advice, not "api"'],
  [{ check: 'x' }, 'rule acme/owner-label: check must be a function, not "x"'],
  [{ kinds: 'batch/Job' }, 'rule acme/owner-label: kinds must name at least one kind'],
  [{ kinds: [8] }, 'rule acme/owner-label: kind number must be group/Kind'],
])('%j, which a program without types may pass, is rejected', (change, message) => {
  expect(() => defineRule({ ...OWNER, ...change } as RuleDefinition)).toThrow(message);
  const rule = { tier: 'advice', severity: 'error', why: 'w', source: 's', ...OWNER, ...change };
  expect(() => Checks.of(Cdk8sTesting.app()).addRules(rule as unknown as Rule)).toThrow(`addRules: ${message}`);
});

test('a value that is not a rule, or not a definition of a kind, is not added to an app', () => {
  const app = Cdk8sTesting.app();
  const checks = Checks.of(app);
  expect(() => checks.addRules({} as Rule)).toThrow('addRules: rule id undefined must be domain/requirement');
  expect(() => checks.addRules('acme/owner-label' as never)).toThrow('addRules: rule id undefined must be');
  expect(() => checks.addCustomResourceDefinitions('crds/queue.yaml' as never)).toThrow(
    'addCustomResourceDefinitions: a definition must be an object, not "crds/queue.yaml". Read a file with Yaml.load of cdk8s.',
  );
  checks.addRules(defineRule(OWNER)).addCustomResourceDefinitions({ kind: 'CustomResourceDefinition' });
  const { rules, crds } = checks.options;
  expect([rules?.at(-1)?.id, crds]).toEqual(['acme/owner-label', [{ kind: 'CustomResourceDefinition' }]]);
});

describe('runRule', () => {
  const rule = defineRule(OWNER);

  test('finds what the rule finds, in text, objects, and sets', () => {
    const wanted = [{ rule: 'acme/owner-label', object: 'batch/v1 Job train', message: 'label "owner" is required' }];
    expect(runRule(rule, JOB)).toMatchObject(wanted);
    expect(runRule(rule, [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'train' } }])).toMatchObject(wanted);
    expect(runRule(rule, new ManifestSet([]))).toEqual([]);
  });

  test('findings of other rules are left out', () => {
    expect(runRule(rule, `${JOB}  annotations: {gantry.dev/ignore: no-reason}\n  labels: {owner: a}\n`)).toEqual([]);
  });

  test('text that is no manifest throws with its place', () => {
    expect(() => runRule(rule, 'kind: [')).toThrow(/^\d+:\d+: /);
  });

  test('a rule that throws fails its test', () => {
    const broken = defineRule({
      ...OWNER,
      on: 'object',
      kinds: ['*'],
      check: () => {
        throw new Error('oh');
      },
    });
    expect(() => runRule(broken, JOB)).toThrow('the rule acme/owner-label failed: oh');
  });

  test('concerns that hide a finding fail the test', () => {
    const hiding = defineRule({ ...OWNER, concerns: ['labels'] });
    expect(() => runRule(hiding, JOB)).toThrow('concerns hides the finding "label "owner" is required"');
    expect(() => runRule(defineRule({ ...OWNER, concerns: ['metadata'] }), JOB)).not.toThrow();
  });

  test('the target minor version is passed on', () => {
    const minor = defineRule({
      on: 'set',
      id: 'acme/minor',
      summary: 's',
      fix: 'f',
      check: ({ set, kubernetes }) => [{ manifest: set.manifests[0], message: kubernetes }],
    });
    expect(runRule(minor, JOB, { kubernetes: '1.33' })).toMatchObject([{ message: '1.33' }]);
  });
});
