import { type JsonObject } from '../../../src/facts/api/schema';
import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { mpiJob, yaml } from './jobs';

interface Statement {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly slots?: number;
  readonly devices?: number;
}

function test8({ command, args, slots = 8, devices = 8 }: Statement): JsonObject {
  const container = (more: JsonObject): JsonObject => ({ spec: { containers: [{ name: 'a', image: 'x', ...more }] } });
  return mpiJob(
    { slotsPerWorker: slots },
    {
      Launcher: {
        template: container({
          ...(command === undefined ? {} : { command: [...command] }),
          ...(args === undefined ? {} : { args: [...args] }),
        }),
      },
      Worker: { replicas: 2, template: container({ resources: { limits: { 'nvidia.com/gpu': devices } } }) },
    },
  );
}

const firing = (statement: Statement): readonly string[] =>
  rulesFiring(yaml(test8(statement)), kubeflowRules).map((id) => id.replace('kubeflow/', ''));

test.each<[string, Statement]>([
  [
    'one process for each device',
    { command: ['mpirun', 'all_reduce_perf', '-b', '1G', '-e', '8G', '-f', '2', '-g', '1'] },
  ],
  ['one process for all devices', { command: ['mpirun', 'all_reduce_perf', '-g', '8'], slots: 1 }],
  ['two threads with two devices each', { command: ['mpirun', 'all_reduce_perf', '-t', '2', '-g2'], slots: 2 }],
  [
    'a script',
    {
      command: ['sh', '-c', 'mpirun /opt/nccl-tests/build/alltoall_perf -b 8 -e 8G -f 2 -g 1 | tee log; grep -g 5 log'],
    },
  ],
  ['a variable', { command: ['sh', '-c', 'mpirun all_reduce_perf -b $MIN -e ${MAX} -g $GPUS'] }],
  [
    'long flags',
    { args: ['mpirun', 'all_reduce_perf', '--minbytes=1M', '--maxbytes', '1GiB', '--stepfactor=4', '--ngpus=1'] },
  ],
  [
    'a fixed step with few sizes',
    { command: ['mpirun', 'all_reduce_perf', '-b', '1G', '-e', '8G', '-i', '1073741824'] },
  ],
  ['another program', { command: ['mpirun', 'train_perf', '-g', '8', '-b', '8G', '-e', '8'] }],
])('nothing is said of %s', (_what, statement) => {
  expect(firing(statement)).toEqual([]);
});

test.each<[string, Statement, string]>([
  [
    'eight processes with eight devices each',
    { command: ['mpirun', 'all_reduce_perf', '-g', '8'] },
    'nccl-tests-devices-are-slots',
  ],
  [
    'half of the devices',
    { command: ['mpirun', 'all_reduce_perf', '-g', '2'], slots: 2 },
    'nccl-tests-devices-are-slots',
  ],
  [
    'a range from the greatest',
    { command: ['mpirun', 'all_reduce_perf', '-b', '8G', '-e', '1G'] },
    'nccl-tests-sizes-valid',
  ],
  [
    'a smallest size above the default',
    { command: ['mpirun', 'all_reduce_perf', '-b', '33M'] },
    'nccl-tests-sizes-valid',
  ],
  [
    'a size in terabytes',
    { command: ['mpirun', 'all_reduce_perf', '-b', '1G', '-e', '1T', '-f', '2'] },
    'nccl-tests-sizes-valid',
  ],
  [
    'eight thousand sizes',
    { command: ['mpirun', 'all_reduce_perf', '-b', '8', '-e', '8G'] },
    'nccl-tests-sizes-multiplied',
  ],
  [
    'a factor of one',
    { command: ['sh', '-c', 'mpirun all_reduce_perf -b 8 -e 8G -f 1'] },
    'nccl-tests-sizes-multiplied',
  ],
])('%s is said', (_what, statement, rule) => {
  expect(firing(statement)).toContain(rule);
});

test('the finding is at the flag, and is an error only if a device does not exist', () => {
  const of = (statement: Statement) =>
    findingsOf(yaml(test8(statement)), kubeflowRules).find(
      ({ rule }) => rule === 'kubeflow/nccl-tests-devices-are-slots',
    );

  expect(of({ command: ['mpirun', 'all_reduce_perf', '-g', '8'] })).toMatchObject({
    path: '/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/command/3',
    message: 'all_reduce_perf uses 64 devices on each worker, but a worker has 8',
    severity: 'error',
  });
  expect(of({ command: ['mpirun', 'all_reduce_perf', '-g', '2'], slots: 2 })).toMatchObject({ severity: 'warning' });
});
