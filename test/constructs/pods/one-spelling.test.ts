/**
 * Every quota, share, capability, and limit of the surface takes the same spelling of amounts, and counts the same devices by it.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import {
  Accelerator,
  Checks,
  GantryScheduler,
  kai,
  kubeflow,
  kueue,
  LimitRange,
  nodeTuning,
  ResourceQuota,
  Team,
  volcano,
} from '../../../src';

const amounts = { cpu: 96, memory: '900Gi', accelerators: Accelerator.nvidia({ count: 8 }) };
const plain = { cpu: 96, memory: '900Gi' };
const devices = { accelerators: Accelerator.nvidia({ count: 8 }) };

type Make = (chart: Chart) => unknown;
const limitRange =
  (container: object): Make =>
  (chart) =>
    new LimitRange(chart, 'range', { container: { default: devices, ...container } });
const team =
  (queue: object): Make =>
  (chart) =>
    new Team(chart, 'team', { quota: amounts, queue });
const volcanoQueue =
  (share: object): Make =>
  (chart) =>
    new volcano.Queue(chart, 'queue', share);
const kaiQueue =
  (share: object): Make =>
  (chart) =>
    new kai.Queue(chart, 'queue', share);
const gantryQueue =
  (share: object): Make =>
  (chart) =>
    new GantryScheduler(chart, 'scheduler', { queues: [{ name: 'research', ...share }] });
const schedulerPod =
  (resources: object): Make =>
  (chart) =>
    new GantryScheduler(chart, 'scheduler', { resources });
const flavor =
  (share: object): Make =>
  (chart) =>
    new kueue.ClusterQueue(chart, 'queue', {
      cohort: kueue.Cohort.fromName('all'),
      flavors: [{ flavor: new kueue.ResourceFlavor(chart, 'h100'), nominalQuota: amounts, ...share }],
    });

/** Each prop of the API report whose type is one of amounts. */
const PROPS: Readonly<Record<string, Make>> = {
  'ContainerLimits.default': limitRange({}),
  'ContainerLimits.defaultRequest': limitRange({ defaultRequest: devices }),
  'ContainerLimits.max': limitRange({ max: devices }),
  'ContainerLimits.min': limitRange({ min: devices }),
  'FlavorQuotas.nominalQuota': flavor({}),
  'FlavorQuotas.borrowingLimit': flavor({ borrowingLimit: amounts }),
  'FlavorQuotas.lendingLimit': flavor({ lendingLimit: amounts }),
  'NodePoolProps.limits': (chart) =>
    new nodeTuning.NodePool(chart, 'pool', {
      profile: new nodeTuning.NodeProfile('h100', { devices: { perNode: 8 } }),
      nodeClass: nodeTuning.Ec2NodeClass.fromName('gpu'),
      instanceTypes: ['p5.48xlarge'],
      limits: amounts,
    }),
  'PodGroupProps.minResources': (chart) =>
    new volcano.PodGroup(chart, 'group', { minMember: 1, minResources: amounts }),
  'PodResources.limits': schedulerPod({ limits: plain }),
  'PodResources.requests': schedulerPod({ requests: plain }),
  'QueueProps.capability': kaiQueue({ capability: amounts }),
  'QueueProps.deserved': kaiQueue({ deserved: amounts }),
  'QueueProps_2.capability': volcanoQueue({ capability: amounts }),
  'QueueProps_2.deserved': volcanoQueue({ deserved: amounts }),
  'QueueProps_2.guarantee': volcanoQueue({ guarantee: amounts }),
  'ResourceQuotaProps.limits': (chart) => new ResourceQuota(chart, 'quota', { limits: plain }),
  'ResourceQuotaProps.requests': (chart) => new ResourceQuota(chart, 'quota', { requests: amounts }),
  'RunPolicyProps.minResources': (chart) =>
    new kubeflow.PyTorchJob(chart, 'job', { nodes: 2, image: 'a', command: ['b'], minResources: amounts }),
  'SchedulerQueue.capability': gantryQueue({ capability: amounts }),
  'SchedulerQueue.deserved': gantryQueue({ deserved: amounts }),
  'SchedulerQueue.guarantee': gantryQueue({ guarantee: amounts }),
  'TeamQueueProps.capability': team({ capability: amounts }),
  'TeamQueueProps.deserved': team({ deserved: amounts }),
  'TeamQueueProps.guarantee': team({ guarantee: amounts }),
};
/** Props of pods' and namespaces' own limits, which count no devices. */
const WITHOUT_DEVICES = ['PodResources.limits', 'PodResources.requests', 'ResourceQuotaProps.limits'];

test('the table has every prop of amounts of the API report', () => {
  const report = readFileSync(resolve(__dirname, '../../../api/cdk8s-gantry.api.md'), 'utf8');
  let owner = '';
  const found = report.split('\n').flatMap((line): readonly string[] => {
    owner = /\binterface (\w+)/.exec(line)?.[1] ?? owner;
    const [, prop] =
      /readonly (\w+)\??: (?:Pick<|Omit<)?(?:Amounts|ContainerAmounts|QueueAmounts)(?:;|,)/.exec(line) ?? [];
    return prop === undefined ? [] : [`${owner}.${prop}`];
  });
  expect(found.sort()).toEqual(Object.keys(PROPS).sort());
});

test.each(Object.entries(PROPS))('%s takes the one spelling', (name, make) => {
  const chart = new Chart(new App(), 'test');
  Checks.of(chart).ignore('tenancy/limit-range-gives-no-devices', 'the amounts are the point here');
  make(chart);
  const [owner, prop] = name.split('.');
  // KAI counts devices of any vendor, and Kueue lists a resource with all of its amounts.
  const counted: Readonly<Record<string, RegExp>> = {
    QueueProps: /"gpu":\{[^}]*8/,
    FlavorQuotas: new RegExp(`"${prop}":"8","name":"nvidia.com/gpu"|"name":"nvidia.com/gpu","${prop}":"8"`),
  };
  const devicesOf = counted[owner] ?? /nvidia\.com\/gpu\\?"?: ?\\?"?8/;
  expect(JSON.stringify(Testing.synth(chart))).toMatch(WITHOUT_DEVICES.includes(name) ? /96/ : devicesOf);
});
