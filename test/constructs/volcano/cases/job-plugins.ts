import { type JsonObject } from '../../../../src/facts/api/schema';
import { container, job, task, type RuleCases } from './world';

const TORCHRUN = [
  '--nnodes=$(WORLD_SIZE)',
  '--node-rank=$(RANK)',
  '--master-addr=$(MASTER_ADDR)',
  '--master-port=$(MASTER_PORT)',
  'train.py',
];

/** Master and three workers that all run the same command. */
function running(command: string[], args: string[], jobSpec: JsonObject = {}, env: JsonObject[] = []): JsonObject {
  const pod = { containers: [container({ command, args, env })] };
  return job({ tasks: [task('master', 1, {}, pod), task('worker', 3, {}, pod)], ...jobSpec });
}

export const jobPluginCases: readonly RuleCases[] = [
  {
    rule: 'volcano/job-plugin-known',
    fires: { 'a plugin of another project': [job({ plugins: { horovod: [] } })] },
    silent: { 'all that there are': [job({ plugins: { svc: [], env: [], ssh: [], pytorch: [], hcclrank: [] } })] },
  },
  {
    rule: 'volcano/mpi-master-task-exists',
    fires: { 'no such task': [job({ plugins: { mpi: ['--master=launcher'] } })] },
    silent: {
      'the default name': [job({ plugins: { mpi: [] } })],
      'a name after a blank': [job({ plugins: { mpi: ['-master', 'worker'] } })],
    },
  },
  {
    rule: 'volcano/job-plugin-arguments-read',
    fires: {
      'a flag that does not exist': [job({ plugins: { pytorch: ['--nproc=8'] } })],
      'flag and value in one text with a blank': [job({ plugins: { pytorch: ['--master master'] } })],
      'a port that is no number': [job({ plugins: { pytorch: ['--port=http'] } })],
      'a value without flag': [job({ plugins: { svc: ['true'] } })],
    },
    silent: {
      'flags in all spellings': [
        job({
          plugins: { pytorch: ['-port', '29500', '--wait-master-enabled'], svc: ['--disable-network-policy=true'] },
        }),
      ],
    },
  },
  {
    rule: 'volcano/job-plugin-ports-valid',
    fires: {
      'a port beyond 65535': [job({ plugins: { pytorch: ['--port=65536'] } })],
      'no port': [job({ plugins: { pytorch: ['--port=0'] } })],
    },
    silent: {
      'a port': [job({ plugins: { pytorch: ['--port=29500'] } })],
      'the bounds': [job({ plugins: { pytorch: ['--port=1'] } }), job({ plugins: { pytorch: ['--port=65535'] } })],
    },
  },
  {
    rule: 'volcano/job-plugin-role-tasks-exist',
    fires: {
      'pytorch without master': [job({ plugins: { pytorch: ['--master=leader'] } })],
      'a task that is neither master nor worker': [job({ tasks: [task('master', 1), task('eval', 1)] })],
      'a task that TF_CONFIG does not know': [
        job({ plugins: { tensorflow: [] }, tasks: [task('ps', 1), task('trainer', 2)] }),
      ],
      'ray without head': [job({ plugins: { ray: [] } })],
      'ray with a container of another name': [
        job({ plugins: { ray: [] }, tasks: [task('head', 1), task('worker', 1)] }),
      ],
      'ray with a task that is neither head nor worker': [
        job({ plugins: { ray: ['--headContainer=main'] }, tasks: [task('head', 1), task('gpu', 3)] }),
      ],
      'mpi without worker': [job({ plugins: { mpi: ['--worker=slave'] } })],
      'hcclrank without either': [job({ plugins: { hcclrank: [] }, tasks: [task('npu', 2)] })],
    },
    silent: {
      'master and worker': [job()],
      'other names, said': [
        job({
          plugins: { pytorch: ['--master=leader', '--worker=follower'] },
          tasks: [task('leader', 1), task('follower', 1)],
        }),
      ],
      'hcclrank with one of its tasks': [job({ plugins: { hcclrank: [] }, tasks: [task('worker', 2)] })],
      'hcclrank with one of its tasks beside another': [
        job({ plugins: { hcclrank: [] }, tasks: [task('worker', 2), task('log', 1)] }),
      ],
      'hcclrank with tasks of other names, which pytorch has too': [
        job({ plugins: { pytorch: ['--master=a', '--worker=b'], hcclrank: [] }, tasks: [task('a', 1), task('b', 1)] }),
      ],
      'a tensorflow job of one pod': [job({ plugins: { tensorflow: [] }, tasks: [task('trainer', 1)] })],
      'ray with a head alone': [job({ plugins: { ray: ['--headContainer=main'] }, tasks: [task('head', 1)] })],
      'ray with its containers': [
        job({
          plugins: { ray: ['--headContainer=main', '--workerContainer=main'] },
          tasks: [task('head', 1), task('worker', 1)],
        }),
      ],
    },
  },
  {
    rule: 'volcano/pytorch-one-master',
    fires: {
      'two masters': [job({ tasks: [task('master', 2)] })],
      'no master pod': [job({ tasks: [task('master', 0), task('worker', 2)] })],
    },
    silent: { 'one master': [job()] },
  },
  {
    rule: 'volcano/gang-pods-find-each-other',
    fires: { 'no plugin': [job({ plugins: {} })], 'ssh keys alone': [job({ plugins: { ssh: [] } })] },
    silent: {
      'one pod': [job({ plugins: {}, tasks: [task('master', 1)] })],
      'independent pods that know their index': [job({ plugins: { env: [] }, tasks: [task('shard', 8)] })],
      'a plugin that brings svc along': [job({ plugins: { mpi: [] } })],
    },
  },
  {
    rule: 'volcano/torchrun-nodes-match-pods',
    fires: {
      'a number that is not that of the pods': [
        running(['torchrun'], ['--nnodes=8', '--node_rank=$(RANK)', 'train.py']),
      ],
      'through a shell': [running(['bash', '-c'], ['exec torchrun --nnodes 8 train.py'])],
    },
    silent: {
      'the number': [running(['torchrun'], ['--nnodes', '4', 'train.py'])],
      'the variable': [running(['torchrun'], TORCHRUN)],
    },
  },
  {
    rule: 'volcano/torchrun-nodes-set',
    fires: {
      'torchrun alone, as under the training operator': [running(['torchrun'], ['train.py'])],
      'python -m': [running(['python', '-m', 'torch.distributed.run', 'train.py'], [])],
    },
    silent: {
      given: [running(['torchrun'], TORCHRUN)],
      'given by its own variable': [running(['torchrun'], ['train.py'], {}, [{ name: 'PET_NNODES', value: '4' }])],
      'each pod for itself, on purpose': [running(['torchrun'], ['--standalone', 'train.py'])],
    },
  },
  {
    rule: 'volcano/torchrun-place-set',
    fires: { 'no rank and no master': [running(['torchrun'], ['--nnodes=4', 'train.py'])] },
    silent: {
      both: [running(['torchrun'], TORCHRUN)],
      'a rendezvous that finds both': [
        running(
          ['torchrun'],
          ['--nnodes=4', '--rdzv-backend=c10d', '--rdzv-endpoint=$(MASTER_ADDR):29400', 'train.py'],
        ),
      ],
    },
  },
  {
    rule: 'volcano/task-variables-defined',
    fires: {
      'a variable of the training operator': [running(['torchrun'], ['--nnodes=$(PET_NNODES)', 'train.py'])],
      ...Object.fromEntries(
        ['sh', 'bash', 'ash', 'dash', '/usr/bin/zsh'].map((shell) => [
          `the same in ${shell}`,
          [running([shell, '-ec'], ['torchrun --nnodes=${PET_NNODES} train.py'])],
        ]),
      ),
      'a variable of a plugin that the job lacks': [running(['torchrun'], TORCHRUN, { plugins: { svc: [] } })],
      'the index without the env plugin': [running(['run'], ['--shard=$(VC_TASK_INDEX)'])],
    },
    silent: {
      'what the plugin sets': [running(['torchrun'], TORCHRUN)],
      'what the container sets itself': [running(['run'], ['$(PET_NNODES)'], {}, [{ name: 'PET_NNODES', value: '4' }])],
      'a host list of svc': [running(['run'], ['$(VC_WORKER_HOSTS)'])],
      'braces in a script that a shell runs from a file': [running(['bash', '-cold'], ['run.sh', '${PET_NNODES}'])],
      'braces without a shell': [running(['run', '-c'], ['${PET_NNODES}'])],
      'an escaped reference': [running(['run'], ['$$(PET_NNODES)'])],
      'a shell that sets it itself': [
        running(['sh', '-c'], ['export PET_NNODES=4; torchrun --nnodes=$PET_NNODES train.py']),
      ],
    },
  },
];
