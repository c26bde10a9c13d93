/**
 * How PyTorchJobs launch their processes: options of torchrun, and variables in commands.
 */
import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf, rulesFiring } from '../../support/findings';
import { container, elasticJob, masterWorker, role, rolesWith, staticJob, yaml } from './jobs';

const firing = (...objects: readonly JsonObject[]): readonly string[] => rulesFiring(yaml(...objects), kubeflowRules);

describe('the command line of torchrun', () => {
  const launched = (...command: readonly string[]): JsonObject =>
    staticJob(rolesWith({ command: ['torchrun', ...command, 'train.py'] }));
  const launching = (count: number, ...command: readonly string[]): JsonObject =>
    role(count, { container: { command: ['torchrun', ...command, 'train.py'] } });
  const workers = (count: number, ...command: readonly string[]): JsonObject =>
    staticJob(masterWorker(role(1), launching(count, ...command)));
  const elastic = (...command: readonly string[]): JsonObject =>
    elasticJob({}, { pytorchReplicaSpecs: { Worker: launching(4, ...command) } });

  test.each<[string, JsonObject, readonly string[]]>([
    ['another number of nodes than pods', launched('--nnodes=3'), ['kubeflow/torchrun-nnodes-is-pod-count']],
    ['the same as two words', launched('--nnodes', '3'), ['kubeflow/torchrun-nnodes-is-pod-count']],
    ['more processes than devices', launched('--nproc_per_node=16'), ['kubeflow/torchrun-nproc-is-device-count']],
    ['another port', launched('--master_port=29500'), ['kubeflow/torchrun-port-is-operators']],
    [
      'another rendezvous port',
      launched('--rdzv-endpoint=$(MASTER_ADDR):29400'),
      ['kubeflow/torchrun-port-is-operators'],
    ],
    ['an address by hand', launched('--master-addr=train-master-0'), ['kubeflow/torchrun-address-from-operator']],
    ['a rank by hand', launched('--node_rank=$(RANK)'), ['kubeflow/torchrun-node-rank-from-operator']],
    ['a rank that is not set', launched('--node_rank=${NODE_RANK}'), ['kubeflow/launch-variables-set-by-operator']],
    ['stand-alone', launched('--standalone'), ['kubeflow/torchrun-not-standalone']],
    [
      'a variable that the operator overrides',
      staticJob(rolesWith({ env: [{ name: 'MASTER_PORT', value: '1' }] })),
      ['kubeflow/operator-variables-not-by-hand'],
    ],
    ['nprocPerNode against the devices', staticJob({ nprocPerNode: '4' }), ['kubeflow/nproc-per-node-is-device-count']],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test.each<[string, JsonObject, string, string]>([
    [
      'an address of another host',
      launched('--master-addr=other'),
      'warning',
      'but the address of the Master is train-master-0',
    ],
    [
      'the address that the operator sets',
      launched('--master-addr=train-master-0'),
      'info',
      'which the operator already sets',
    ],
    ['it with its domain', launched('--master-addr=train-master-0.ml.svc'), 'info', 'which the operator already sets'],
    [
      'it as a rendezvous of a static job',
      launched('--rdzv-endpoint=train-master-0:23456'),
      'warning',
      'but the address of the Master is train-master-0',
    ],
    [
      'a rendezvous of an elastic job',
      elastic('--rdzv-endpoint=train-worker-0:23456'),
      'info',
      'which the operator already sets',
    ],
    [
      'another one',
      elastic('--rdzv-endpoint=other:23456'),
      'warning',
      'but the rendezvous endpoint of the elastic job is train-worker-0',
    ],
    ['the address of an elastic job', elastic('--master-addr=train-worker-0'), 'warning', 'but the rendezvous'],
    [
      'a rank that several pods share',
      workers(2, '--node_rank=0'),
      'error',
      'assigns the same rank to all 2 pods of the role "Worker"',
    ],
    [
      'the rank of one pod',
      workers(1, '--node_rank=0'),
      'warning',
      'the role "Worker" sets --node_rank=0, but the operator sets the rank',
    ],
    ['a rank from a variable', workers(2, '--node_rank=$(RANK)'), 'warning', 'but the operator sets the rank'],
    ['a rank in an elastic job', elastic('--node_rank=0'), 'warning', 'which has no effect in an elastic job'],
  ])('%s', (_what, object, severity, words) => {
    const rules = ['kubeflow/torchrun-address-from-operator', 'kubeflow/torchrun-node-rank-from-operator'];
    const found = findingsOf(yaml(object), kubeflowRules).filter(({ rule }) => rules.includes(rule));
    expect(found.map((finding) => finding.severity)).toEqual(Array(found.length).fill(severity));
    expect(found[0].message).toContain(words);
  });

  test('PYTHONUNBUFFERED may be set, though the operator sets it too', () => {
    expect(firing(staticJob(rolesWith({ env: [{ name: 'PYTHONUNBUFFERED', value: '0' }] })))).toEqual([]);
  });

  test('it is found behind a shell, behind python -m and in args', () => {
    const shell = {
      command: ['bash', '-lc', 'pip install -e . && exec torchrun \\\n  --nnodes=3 \\\n  "train.py" --lr 1'],
    };
    const module = { command: ['python3', '-m', 'torch.distributed.run', '--nnodes=3', 'train.py'] };
    const args = { command: ['/opt/entry.sh'], args: ['/usr/local/bin/torchrun', '--nnodes=3', 'train.py'] };
    for (const changes of [shell, module, args]) {
      expect(firing(staticJob(rolesWith(changes)))).toEqual(['kubeflow/torchrun-nnodes-is-pod-count']);
    }
  });

  test.each([
    ['--nnodes=3', 'torchrun-nnodes-is-pod-count'],
    ['--nproc_per_node=16', 'torchrun-nproc-is-device-count'],
    ['--master_port=29500', 'torchrun-port-is-operators'],
    ['--master-addr=other', 'torchrun-address-from-operator'],
    ['--node_rank=0', 'torchrun-node-rank-from-operator'],
    ['--standalone', 'torchrun-not-standalone'],
  ])('%s is found where there are only args', (option, rule) => {
    const { name, image, resources } = container();
    const only = {
      ...role(1),
      template: { spec: { containers: [{ name, image, resources, args: ['torchrun', option, 'train.py'] }] } },
    };
    expect(firing(staticJob(masterWorker(only, only)))).toEqual([`kubeflow/${rule}`]);
  });

  test('a single number of nodes is no elastic range', () => {
    expect(firing(elastic('--nnodes=4:8'))).toEqual([]);
    expect(firing(elastic('--nnodes=4'))).toEqual(['kubeflow/torchrun-nnodes-is-pod-count']);
  });

  test('a port that all roles agree on is a warning, one that half of them use an error', () => {
    const severities = (object: JsonObject): readonly string[] =>
      findingsOf(yaml(object), kubeflowRules).map(({ severity }) => severity);
    const other = role(3, { container: { command: ['torchrun', '--master_port=29500', 'train.py'] } });
    expect(severities(launched('--master_port=29500'))).toEqual(['warning', 'warning']);
    expect(severities(staticJob(masterWorker(role(1), other)))).toEqual(['error']);
  });

  test('RANK exists only where there is a Master', () => {
    const ranked = { container: { command: ['sh', '-c', 'python train.py --rank $RANK'] } };
    expect(firing(staticJob({ pytorchReplicaSpecs: { Master: role(1, ranked) } }))).toEqual([]);
    expect(firing(elasticJob({}, { pytorchReplicaSpecs: { Worker: role(4, ranked) } }))).toEqual([
      'kubeflow/launch-variables-set-by-operator',
    ]);
  });
});

describe('variables in a command', () => {
  const RULE = 'kubeflow/launch-variables-set-by-operator';
  const refers = (text: string): { readonly container: JsonObject } => ({ container: { command: ['sh', '-c', text] } });
  const inMaster = (text: string): JsonObject => staticJob({ pytorchReplicaSpecs: { Master: role(1, refers(text)) } });
  const inElastic = (text: string): JsonObject =>
    elasticJob({}, { pytorchReplicaSpecs: { Worker: role(4, refers(text)) } });
  const severities = (object: JsonObject): readonly string[] =>
    findingsOf(yaml(object), kubeflowRules)
      .filter(({ rule }) => rule === RULE)
      .map(({ severity }) => severity);

  test.each<[string, readonly string[], readonly string[]]>([
    ['RANK', [], ['error']],
    ['WORLD_SIZE', [], ['error']],
    ['MASTER_ADDR', [], ['error']],
    ['MASTER_PORT', [], ['error']],
    ['PET_NODE_RANK', [], ['error']],
    ['PET_MASTER_ADDR', [], ['error']],
    ['PET_MASTER_PORT', [], ['error']],
    ['PET_RDZV_ENDPOINT', ['error'], []],
    ['PET_RDZV_BACKEND', ['error'], []],
    ['PET_NNODES', [], []],
    ['PET_NPROC_PER_NODE', [], []],
    ['NODE_RANK', ['error'], ['error']],
    ['NNODES', ['error'], ['error']],
    ['NPROC_PER_NODE', ['error'], ['error']],
    ['LOCAL_RANK', ['warning'], ['warning']],
    ['LOCAL_WORLD_SIZE', ['warning'], ['warning']],
    ['OF_THE_IMAGE', [], []],
  ])('%s in a job with a Master, and in an elastic one', (name, ofMaster, ofElastic) => {
    expect(severities(inMaster(`run --x $${name}`))).toEqual(ofMaster);
    expect(severities(inElastic(`run --x $${name}`))).toEqual(ofElastic);
    expect(severities(inElastic(`${name}=1; run --x $${name}`))).toEqual([]);
  });

  test('one that is wrong among those of torchrun is an error', () => {
    expect(severities(inMaster('run $LOCAL_RANK $NODE_RANK'))).toEqual(['error']);
  });

  test.each([120, 121])('a line of %d characters is shown, cut to 120', (length) => {
    const line = 'run $NODE_RANK'.padEnd(length, 'x').replace('RANKx', 'RANK ');
    const [finding] = findingsOf(yaml(inMaster(line)), kubeflowRules).filter(({ rule }) => rule === RULE);
    expect(finding.found).toBe(length === 120 ? line : `${line.slice(0, 117)}...`);
  });
});
