/**
 * One closed type for amounts, everywhere: the wrong spelling does not compile, and from JavaScript it is an error that names the right one.
 */
import { App, Chart, Size } from 'cdk8s';
import * as fc from 'fast-check';
import {
  Accelerator,
  type Amounts,
  GantryScheduler,
  kubeflow,
  kueue,
  LimitRange,
  nodeTuning,
  ResourceQuota,
  Team,
  volcano,
} from '../../../src';
import { amountsByName, amountsOf } from '../../../src/constructs/pods/amounts';
import { samples } from '../../support/samples';

const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
const rendered = (amounts: Amounts): Readonly<Record<string, string>> => amountsByName('quota', amounts);
const flavor = kueue.ResourceFlavor.fromName('h100');

/** What a user of JavaScript may pass. */
const untyped = (value: unknown): Amounts => value as Amounts;

describe('rendering', () => {
  test('every member by the name that Kubernetes uses, in the order in which it is written', () => {
    const amounts = rendered({
      memory: '8Ti',
      cpu: '500m',
      ephemeralStorage: Size.gibibytes(100),
      pods: 200,
      hugepages: { '2Mi': '5120Mi' },
      accelerators: [
        Accelerator.nvidia({ count: 64, product: 'H100-SXM-80GB' }),
        Accelerator.amd({ count: 16 }),
        Accelerator.mig({ profile: '1g.10gb', count: 14 }),
      ],
      other: { 'rdma/hca_shared_devices_a': 8 },
    });
    expect(Object.entries(amounts)).toEqual([
      ['memory', '8Ti'],
      ['cpu', '500m'],
      ['ephemeral-storage', '100Gi'],
      ['pods', '200'],
      ['hugepages-2Mi', '5120Mi'],
      ['nvidia.com/gpu', '64'],
      ['amd.com/gpu', '16'],
      ['nvidia.com/mig-1g.10gb', '14'],
      ['rdma/hca_shared_devices_a', '8'],
    ]);
  });

  test('one accelerator needs no list, and none at all is an amount too', () => {
    expect(rendered({ accelerators: Accelerator.tpu({ accelerator: 'TPU-v5e', topology: '2x4', count: 8 }) })).toEqual({
      'google.com/tpu': '8',
    });
    expect(rendered({ accelerators: Accelerator.nvidia({ count: 0 }) })).toEqual({ 'nvidia.com/gpu': '0' });
  });

  test('the same kind of accelerator twice adds up', () => {
    const two = [Accelerator.nvidia({ count: 8 }), Accelerator.nvidia({ count: 4 })];
    expect(rendered({ accelerators: two })).toEqual({ 'nvidia.com/gpu': '12' });
  });

  test('what is undefined is not stated', () => {
    expect(rendered({ cpu: undefined, accelerators: undefined, other: { 'rdma/hca': undefined } })).toEqual({});
  });

  test('names that Kubernetes uses come back as the same amounts', () => {
    const name = fc.constantFrom(
      'cpu',
      'pods',
      'nvidia.com/gpu',
      'nvidia.com/mig-1g.10gb',
      'amd.com/gpu',
      'rdma/hca',
      'aliyun.com/gpu-mem',
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.nat(10_000).map(String)), fc.boolean(), (byName, memory) => {
        const all = memory ? { ...byName, memory: '4Ti', 'hugepages-2Mi': '1Gi', 'ephemeral-storage': '1Ti' } : byName;
        expect(rendered(amountsOf(all))).toEqual(all);
      }),
      { seed: 20261122, numRuns: samples(200) },
    );
  });
});

describe('what cannot be counted is an error', () => {
  test.each<[string, Amounts, string]>([
    [
      'two products of one resource name',
      {
        accelerators: [
          Accelerator.nvidia({ count: 64, product: 'NVIDIA-H100-80GB-HBM3' }),
          Accelerator.nvidia({ count: 32, product: 'NVIDIA-A100-SXM4-80GB' }),
        ],
      },
      'quota.accelerators: NVIDIA-H100-80GB-HBM3 and NVIDIA-A100-SXM4-80GB both count as nvidia.com/gpu, so their amounts cannot be distinguished. Set one amount for nvidia.com/gpu, or use Kueue with a flavor for each.',
    ],
    [
      'a share of a device',
      { accelerators: Accelerator.hami({ count: 8, memory: '10Gi' }) },
      'quota.accelerators: nvidia.com/gpumem describe a share of one device, not a total. Set totals under other: { "nvidia.com/gpumem": … }.',
    ],
    [
      'a share without a resource of its own',
      { accelerators: Accelerator.cgpu({ memory: '10Gi' }) },
      'Set totals under other: { "aliyun.com/gpu-mem": … }.',
    ],
    [
      'devices of a claim',
      { accelerators: Accelerator.claim({ template: 'gpus', count: 4 }) },
      'a quota cannot count devices of a resource claim by resource name. Limit them with hard: { "<device class>.deviceclass.resource.k8s.io/devices": 4 } of a ResourceQuota.',
    ],
    [
      'one name stated twice',
      { accelerators: Accelerator.of({ resource: 'rdma/hca', count: 1 }), other: { 'rdma/hca': 8 } },
      'quota: duplicate value "rdma/hca" (1 and 8). Set it once.',
    ],
    ['a negative number of pods', { pods: -1 }, 'quota.pods -1: must be a number greater than or equal to 0.'],
    ['cores that are no amount', { cpu: 'many' }, 'quota.cpu "many": must be a number of cores such as 8'],
  ])('%s', (_, amounts, message) => {
    expect(() => rendered(amounts)).toThrow(message);
  });

  test('a pod never asks for no device', () => {
    expect(() => Accelerator.nvidia({ count: 0 }).toPod({ hostNetwork: false })).toThrow(
      'accelerators: count must be greater than or equal to 1. For a pod without devices, omit accelerators.',
    );
  });
});

describe('from JavaScript an unknown name is an error that says what to write', () => {
  test.each<[object, string]>([
    [{ gpu: 8 }, 'quota: unknown field "gpu". Write accelerators: [Accelerator.nvidia({ count: 8 })]'],
    [{ gpus: 8 }, 'quota: unknown field "gpus". Write accelerators: [Accelerator.nvidia({ count: 8 })]'],
    [{ GPU: 8 }, 'quota: unknown field "GPU". Write accelerators'],
    [
      { 'nvidia.com/gpu': 8 },
      'quota: unknown field "nvidia.com/gpu". Write accelerators: [Accelerator.of({ resource: "nvidia.com/gpu", count: 8 })]',
    ],
    [{ 'rdma/hca': 8 }, 'quota: unknown field "rdma/hca". Write other: { "rdma/hca": 8 }.'],
    [{ 'hugepages-2Mi': '1Gi' }, 'quota: unknown field "hugepages-2Mi". Write hugepages: { "2Mi": "1Gi" }.'],
    [{ 'ephemeral-storage': '1Gi' }, 'quota: unknown field "ephemeral-storage" (did you mean "ephemeralStorage"?).'],
    [{ others: {} }, 'quota: unknown field "others" (did you mean "other"?).'],
    [{ CPU: 4 }, 'quota: unknown field "CPU" (did you mean "cpu"?).'],
    [{ cpus: 4 }, 'quota: unknown field "cpus" (did you mean "cpu"?).'],
    [{ memmory: '4Gi' }, 'quota: unknown field "memmory" (did you mean "memory"?).'],
    [{ accelerator: [] }, 'quota: unknown field "accelerator". Write accelerators'],
    [{ banana: 1 }, 'quota: unknown field "banana". The fields are cpu, memory, ephemeralStorage, pods'],
    [{ constructor: 1 }, 'quota: unknown field "constructor"'],
    [{ other: { gpu: 8 } }, 'quota.other: "gpu" must be the full name of an extended resource'],
    [{ other: { 'nvidia.com/gpu': 8 } }, 'quota.other: "nvidia.com/gpu" is an accelerator. Write accelerators'],
    [{ other: { 'nvidia.com/mig-1g.10gb': 8 } }, 'quota.other: "nvidia.com/mig-1g.10gb" is an accelerator'],
    [{ accelerators: 8 }, 'quota.accelerators 8: must be an Accelerator, such as Accelerator.nvidia({ count: 8 }).'],
    [{ accelerators: { 'nvidia.com/gpu': 8 } }, 'quota.accelerators {"nvidia.com/gpu":8}: must be an Accelerator'],
    [{ memory: 900 }, 'quota.memory 900: must have a unit'],
  ])('%j', (amounts, message) => {
    expect(() => rendered(untyped(amounts))).toThrow(message);
  });

  test('amounts that are no object', () => {
    expect(() => rendered(untyped(8))).toThrow('quota 8: must be amounts such as { cpu: 96, memory: "1Ti" }.');
    expect(() => rendered(untyped([]))).toThrow('must be amounts');
  });

  const profile = new nodeTuning.NodeProfile('gpus', { tier: 'training', devices: { perNode: 8 } });
  const nodeClass = nodeTuning.Ec2NodeClass.fromName('gpus');
  test.each<[string, (amounts: Amounts) => unknown]>([
    ['Team.quota', (amounts) => new Team(chart(), 'a', { quota: amounts })],
    ['Team.queue', (guarantee) => new Team(chart(), 'a', { quota: {}, queue: { guarantee } })],
    ['volcano.Queue', (capability) => new volcano.Queue(chart(), 'a', { capability })],
    ['volcano.Queue.addQueue', (deserved) => new volcano.Queue(chart(), 'a').addQueue('b', { deserved })],
    ['volcano.PodGroup', (minResources) => new volcano.PodGroup(chart(), 'a', { minResources })],
    [
      'kueue.ClusterQueue',
      (nominalQuota) => new kueue.ClusterQueue(chart(), 'a', { flavors: [{ flavor, nominalQuota }] }),
    ],
    [
      'kueue borrowingLimit',
      (borrowingLimit) =>
        new kueue.Cohort(chart(), 'a', { flavors: [{ flavor, nominalQuota: { cpu: 1 }, borrowingLimit }] }),
    ],
    ['GantryScheduler', (deserved) => new GantryScheduler(chart(), 'a', { queues: [{ name: 'a', deserved }] })],
    ['ResourceQuota', (requests) => new ResourceQuota(chart(), 'a', { requests })],
    ['ResourceQuota.limits', (limits) => new ResourceQuota(chart(), 'a', { limits })],
    ['LimitRange', (max) => new LimitRange(chart(), 'a', { container: { max } })],
    ['nodeTuning.NodePool', (limits) => new nodeTuning.NodePool(chart(), 'a', { profile, nodeClass, limits })],
    [
      'kubeflow.PyTorchJob',
      (minResources) => new kubeflow.PyTorchJob(chart(), 'a', { image: 'x', nodes: 1, minResources }),
    ],
  ])('%s takes the same amounts and refuses the same names', (_, make) => {
    expect(() => make(untyped({ gpus: 8 }))).toThrow('unknown field "gpus". Write accelerators');
    expect(() => make(untyped({ memory: 900 }))).toThrow('memory 900: must have a unit');
  });
});

test('the wrong spelling does not compile, wherever amounts are stated', () => {
  const never = (_use: () => unknown): void => undefined;
  // @ts-expect-error gpu is not a member
  never(() => new volcano.Queue(chart(), 'a', { capability: { gpu: 8 } }));
  // @ts-expect-error gpus is not a member
  never(() => new volcano.Queue(chart(), 'a', { deserved: { gpus: 8 } }));
  // @ts-expect-error resource names are not members
  never(() => new volcano.Queue(chart(), 'a', { guarantee: { 'nvidia.com/gpu': 8 } }));
  // @ts-expect-error gpus is not a member
  never(() => new Team(chart(), 'a', { quota: { gpus: 8 } }));
  // @ts-expect-error gpu is not a member
  never(() => new Team(chart(), 'a', { quota: {}, queue: { guarantee: { gpu: 8 } } }));
  // @ts-expect-error resource names are not members
  never(() => new GantryScheduler(chart(), 'a', { queues: [{ name: 'a', deserved: { 'nvidia.com/gpu': 8 } }] }));
  // @ts-expect-error gpu is not a member
  never(() => new kueue.ClusterQueue(chart(), 'a', { flavors: [{ flavor, nominalQuota: { gpu: 8 } }] }));
  // @ts-expect-error gpu is not a member
  never(() => new ResourceQuota(chart(), 'a', { requests: { gpu: 8 } }));
  // @ts-expect-error a quota counts pods under pods
  never(() => new ResourceQuota(chart(), 'a', { requests: { pods: 8 } }));
  // @ts-expect-error Kubernetes counts no limits of devices
  never(() => new ResourceQuota(chart(), 'a', { limits: { accelerators: [] } }));
  // @ts-expect-error resource names are not members
  never(() => new LimitRange(chart(), 'a', { container: { max: { 'nvidia.com/gpu': 8 } } }));
  // @ts-expect-error gpu is not a member
  never(() => new volcano.PodGroup(chart(), 'a', { minResources: { gpu: 8 } }));
  const amounts: Amounts[] = [
    // @ts-expect-error names of other resources have a domain
    { other: { gpu: 8 } },
    // @ts-expect-error accelerators have a member of their own
    { other: { 'nvidia.com/gpu': 8 } },
    // @ts-expect-error memory needs a unit
    { memory: 900 },
    // @ts-expect-error storage needs a unit
    { ephemeralStorage: 900 },
    // @ts-expect-error accelerators are not numbers
    { accelerators: 8 },
    // @ts-expect-error page sizes have a unit
    { hugepages: { small: '1Gi' } },
  ];
  expect(amounts).toHaveLength(6);
});
