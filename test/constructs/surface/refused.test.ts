/**
 * Inputs that types let pass and that mean nothing: each is refused with what is wrong, where, and what to write.
 */
import { type Chart, Testing as Cdk8sTesting } from 'cdk8s';
import {
  Accelerator,
  amdGpu,
  GantryScheduler,
  GpuPlatform,
  gpuOperator,
  keda,
  monitoring,
  NodeSelection,
  PlacementGate,
  Plan,
  PriorityLadder,
  Rdma,
  TrainingTopology,
  volcano,
} from '../../../src';

const chart = (): Chart => Cdk8sTesting.chart();
const pool = { nodes: 4, cpu: 100, memory: '192Gi' };

test.each<readonly [string, () => unknown, string]>([
  [
    'two queues of one name',
    () => new GantryScheduler(chart(), 's', { queues: [{ name: 'a' }, { name: 'a' }] }),
    'test/s: configuration: queues[1].name must be a unique name, not "a".',
  ],
  [
    'an unknown parent',
    () => new GantryScheduler(chart(), 's', { queues: [{ name: 'a', parent: 'root' }] }),
    'test/s: queue a: unknown parent "root". Add it to queues, or pass the Volcano Queue itself as parent.',
  ],
  [
    'a ladder without rungs',
    () => new PriorityLadder(chart(), 'l', { rungs: [] }),
    'test/l: rungs must contain at least one name, from the lowest to the highest.',
  ],
  [
    'a selector of everything',
    () => new PlacementGate(chart(), 'g', { namespaces: {}, kubernetes: '1.36' }),
    'test/g: namespaces must have matchLabels or matchExpressions: an empty selector gates the pods of all namespaces.',
  ],
  [
    'an unknown product',
    () => NodeSelection.product('H1000'),
    'product: unknown accelerator "H1000"; list the known names with `gantry catalog accelerators`. For a device',
  ],
  [
    'an unknown TPU',
    () => Accelerator.tpu({ accelerator: 'TPU v9', topology: '2x4', count: 4 }),
    'accelerator: unknown accelerator "TPU v9" (did you mean TPU-v4',
  ],
  [
    'a topology that no slice has',
    () => Accelerator.tpu({ accelerator: 'tpu-v5-lite-podslice', topology: '3x5', count: 4 }),
    'topology "3x5" of TPU-v5e must be 1x1, 2x2,',
  ],
  [
    'a topology that no slice has, in a pool',
    () =>
      new GpuPlatform(Cdk8sTesting.app(), 'p', {
        pools: { tpu: { ...pool, accelerator: 'TPU v6e', devices: 4, topology: '3x5' } },
        teams: {},
      }),
    'pool tpu: topology "3x5" of TPU-v6e must be',
  ],
  [
    'more chips than a slice has, in a pool',
    () =>
      new GpuPlatform(Cdk8sTesting.app(), 'p', {
        pools: { tpu: { ...pool, accelerator: 'TPU v6e', devices: 8, topology: '2x2' } },
        teams: {},
      }),
    'pool tpu: a slice of topology 2x2 has 4 chips, not 8.',
  ],
  [
    'a whole node of shares',
    () =>
      new GpuPlatform(Cdk8sTesting.app(), 'p', {
        pools: {
          shared: {
            ...pool,
            accelerator: 'L40S',
            devices: 8,
            sharing: gpuOperator.Sharing.timeSlicing({ replicas: 4 }),
          },
        },
        teams: {},
      }).pools.shared.wholeNode(),
    'pool shared exposes nvidia.com/gpu.shared, not whole GPUs. Request one with share().',
  ],
  ['a cluster file that does not exist', () => Plan.against('nofile'), 'nofile: no such file or folder'],
  ['no network', () => Rdma.over({} as never), 'networks must be a network, or a list of networks.'],
  ['an empty list of networks', () => Rdma.over([]), 'networks must contain at least one network.'],
  ['a tier below 1', () => TrainingTopology.required(-1), 'level must be a node label, such as'],
  ['an empty level', () => TrainingTopology.preferred(''), 'a whole number greater than or equal to 1, not "".'],
  ['no processes', () => volcano.torchrun({ processesPerNode: 0, script: ['a'] }), 'processesPerNode must be a whole'],
  ['no script', () => volcano.torchrun({ processesPerNode: 1, script: [] }), 'script must name the program'],
  ['a number in a string', () => Accelerator.nvidia({ count: '8' as never }), 'count must be a number, not "8".'],
  ['no variable', () => keda.fromEnv('1 a'), 'variable "1 a" must be the name of an environment variable'],
  [
    'a mode of no GPU',
    () => amdGpu.partitionOf('MI300X', 'TPX/NPS1'),
    'partition "TPX/NPS1": MI300X has the modes SPX/NPS1,',
  ],
  [
    'an unknown alert',
    () => monitoring.gpuAlerts({ alerts: { GpuHotter: false } as never }),
    'alerts: unknown name "GpuHotter"',
  ],
  ['an unknown group', () => monitoring.gpuAlerts({ without: ['rmda' as never] }), '(did you mean "rdma"?)'],
  ['an unknown counter', () => gpuOperator.dcgmCounter('GPU_UTILL' as never), '(did you mean "GPU_UTIL"?)'],
])('%s is refused', (_, make, message) => {
  expect(make).toThrow(message);
});

test('a queue may be below a Volcano Queue, and a label that the catalog does not know may be selected', () => {
  const scope = chart();
  new GantryScheduler(scope, 's', { queues: [{ name: 'a', parent: volcano.Queue.fromName('root') }] });
  expect(JSON.stringify(Cdk8sTesting.synth(scope))).toContain('parent: root');
  expect(() => NodeSelection.product('NVIDIA-RTX-5000-XYZ')).not.toThrow();
});
