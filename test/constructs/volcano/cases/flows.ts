import { type JsonObject } from '../../../../src/facts/api/schema';
import { cronJob, exactly, hyperNode, job, jobFlow, jobTemplate, member, podGroup, type RuleCases } from './world';

const after = (...targets: string[]) => ({ dependsOn: { targets } });

const named = (tierName: string): JsonObject => ({
  apiVersion: 'topology.volcano.sh/v1alpha1',
  kind: 'HyperNode',
  metadata: { name: 'h' },
  spec: { tier: 1, tierName, members: [member('Node', exactly('n'))] },
});

export const flowCases: readonly RuleCases[] = [
  {
    rule: 'volcano/cron-job-schedule-valid',
    fires: {
      'six fields': [cronJob({ schedule: '0 0 2 * * *' })],
      'hour 24': [cronJob({ schedule: '0 24 * * *' })],
      'Sunday as 7': [cronJob({ schedule: '0 2 * * 7' })],
      'a time zone': [cronJob({ schedule: 'CRON_TZ=UTC 0 2 * * *' })],
      'a word that does not exist': [cronJob({ schedule: '@nightly' })],
    },
    silent: {
      'names, steps and lists': [cronJob({ schedule: '*/15 2-4 1,15 jan-mar mon' })],
      'a word': [cronJob({ schedule: '@daily' })],
      'every so often': [cronJob({ schedule: '@every 1h30m' })],
    },
  },
  {
    rule: 'volcano/cron-job-time-zone-known',
    fires: {
      Local: [cronJob({ timeZone: 'Local' })],
      'no such zone': [cronJob({ timeZone: 'Europe/Atlantis' })],
      empty: [cronJob({ timeZone: '' })],
    },
    silent: { 'a zone': [cronJob({ timeZone: 'Europe/Berlin' })], none: [cronJob()] },
  },
  {
    rule: 'volcano/cron-job-name-fits',
    fires: { '53 characters': [cronJob({}, 'x'.repeat(53))] },
    silent: { '52 characters': [cronJob({}, 'x'.repeat(52))] },
  },
  {
    rule: 'volcano/job-flow-targets-exist',
    fires: { 'a target that is no flow': [jobFlow([{ name: 'b', ...after('a') }])] },
    silent: { 'a target of the flow': [jobFlow([{ name: 'a' }, { name: 'b', ...after('a') }])] },
  },
  {
    rule: 'volcano/job-flow-acyclic',
    fires: {
      'a circle': [
        jobFlow([
          { name: 'a', ...after('b') },
          { name: 'b', ...after('a') },
        ]),
      ],
      itself: [jobFlow([{ name: 'a', ...after('a') }])],
    },
    silent: {
      'a diamond': [
        jobFlow([
          { name: 'a' },
          { name: 'b', ...after('a') },
          { name: 'c', ...after('a') },
          { name: 'd', ...after('b', 'c') },
        ]),
      ],
    },
  },
  {
    rule: 'volcano/job-flow-names-unique',
    fires: { 'one template twice': [jobFlow([{ name: 'a' }, { name: 'a' }])] },
    silent: { 'two templates': [jobFlow([{ name: 'a' }, { name: 'b' }])] },
  },
  {
    rule: 'volcano/job-flow-template-known',
    fires: {
      'a template that the set does not hold': [jobTemplate('a'), jobFlow([{ name: 'b' }])],
      'a template of another namespace': [jobTemplate('a', { namespace: 'elsewhere' }), jobFlow([{ name: 'a' }])],
    },
    silent: {
      'a template of the namespace': [jobTemplate('a'), jobFlow([{ name: 'a' }])],
      'no templates in the set': [jobFlow([{ name: 'a' }])],
    },
  },
  {
    rule: 'volcano/job-flow-job-names-fit',
    fires: {
      'flow, template and task together': [
        jobTemplate('t'.repeat(30)),
        jobFlow([{ name: 't'.repeat(30) }], 'f'.repeat(30)),
      ],
    },
    silent: { 'room enough': [jobTemplate('t'), jobFlow([{ name: 't' }])] },
  },
  {
    rule: 'volcano/job-flow-fields-read',
    fires: {
      'a patch': [jobFlow([{ name: 'a', patch: { jobSpec: {} } }])],
      'a probe': [jobFlow([{ name: 'a', dependsOn: { targets: [], probe: {} } }])],
    },
    silent: { targets: [jobFlow([{ name: 'a' }, { name: 'b', ...after('a') }])] },
  },
  {
    rule: 'volcano/hyper-node-has-members',
    fires: {
      none: [
        { apiVersion: 'topology.volcano.sh/v1alpha1', kind: 'HyperNode', metadata: { name: 'a' }, spec: { tier: 1 } },
      ],
    },
    silent: { one: [hyperNode('a', 1, [member('Node', exactly('n'))])] },
  },
  {
    rule: 'volcano/hyper-node-pattern-compiles',
    fires: {
      'a bracket': [hyperNode('a', 1, [member('Node', { regexMatch: { pattern: 'a(b' } })])],
      'look-ahead': [hyperNode('a', 1, [member('Node', { regexMatch: { pattern: 'a(?=b)' } })])],
    },
    silent: {
      'a pattern of Go': [hyperNode('a', 1, [member('Node', { regexMatch: { pattern: '^gpu-[[:digit:]]+$' } })])],
    },
  },
  {
    rule: 'volcano/hyper-node-members-by-name',
    fires: {
      'hyper nodes by label': [
        hyperNode('a', 2, [member('HyperNode', { labelMatch: { matchLabels: { rack: '1' } } })]),
      ],
    },
    silent: { 'nodes by label': [hyperNode('a', 1, [member('Node', { labelMatch: { matchLabels: { rack: '1' } } })])] },
  },
  {
    rule: 'volcano/hyper-node-label-match-chooses',
    fires: { 'an empty selector': [hyperNode('a', 1, [member('Node', { labelMatch: {} })])] },
    silent: {
      'an expression': [
        hyperNode('a', 1, [
          member('Node', { labelMatch: { matchExpressions: [{ key: 'rack', operator: 'Exists' }] } }),
        ]),
      ],
    },
  },
  {
    rule: 'volcano/hyper-node-tiers-descend',
    fires: {
      'a member of the same tier': [hyperNode('a', 1, [member('HyperNode', exactly('b'))]), hyperNode('b', 1, [])],
    },
    silent: {
      'a member of a lower tier': [hyperNode('a', 2, [member('HyperNode', exactly('b'))]), hyperNode('b', 1, [])],
    },
  },
  {
    rule: 'volcano/hyper-nodes-form-trees',
    fires: {
      'two parents': [
        hyperNode('a', 2, [member('HyperNode', exactly('c'))]),
        hyperNode('b', 2, [member('HyperNode', exactly('c'))]),
      ],
      'a circle': [
        hyperNode('a', 2, [member('HyperNode', exactly('b'))]),
        hyperNode('b', 2, [member('HyperNode', exactly('a'))]),
      ],
    },
    silent: { 'a tree': [hyperNode('a', 2, [member('HyperNode', exactly('b')), member('HyperNode', exactly('c'))])] },
  },
  {
    rule: 'volcano/hyper-node-tier-named',
    fires: {
      'a job asks for a tier that no hyper node has': [
        named('leaf'),
        job({ networkTopology: { highestTierName: 'spine' } }),
      ],
      'a partition does': [
        named('leaf'),
        job({ tasks: [{ name: 'a', replicas: 1, partitionPolicy: { networkTopology: { highestTierName: 'x' } } }] }),
      ],
      'a sub group does': [
        named('leaf'),
        podGroup('g', { subGroupPolicy: [{ networkTopology: { highestTierName: 'x' } }] }),
      ],
    },
    silent: {
      'a tier that there is': [named('leaf'), job({ networkTopology: { highestTierName: 'leaf' } })],
      'no hyper nodes in the set': [job({ networkTopology: { highestTierName: 'spine' } })],
    },
  },
  {
    rule: 'volcano/hyper-node-holds-node-once',
    fires: {
      'a node of two racks': [
        hyperNode('a', 1, [member('Node', exactly('n'))]),
        hyperNode('b', 1, [member('Node', exactly('n'))]),
      ],
    },
    silent: {
      'a node of two tiers': [
        hyperNode('a', 1, [member('Node', exactly('n'))]),
        hyperNode('b', 2, [member('Node', exactly('n'))]),
      ],
    },
  },
];
