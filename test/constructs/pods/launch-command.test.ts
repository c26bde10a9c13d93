import { type JsonObject } from '../../../src/facts/api/schema';
import { launchCommandOf, optionNamed, variablesIn } from '../../../src/constructs/pods/launch-command';

function options(container: JsonObject): Record<string, string | undefined> | undefined {
  const launch = launchCommandOf(container, '/c');
  return launch && Object.fromEntries(launch.options.map(({ name, value }) => [name, value]));
}

test.each<[string, JsonObject, Record<string, string | undefined> | undefined]>([
  ['nothing where no process is launched', { command: ['python', 'train.py', '--nnodes=2'] }, undefined],
  [
    'both spellings, with = and as two words',
    { command: ['torchrun', '--nnodes=2', '--nproc-per-node', '8', 'x.py'] },
    { nnodes: '2', nproc_per_node: '8' },
  ],
  [
    'flags without a value',
    { command: ['torchrun', '--standalone', '--nnodes=1', '-m', 'pkg.train'] },
    { standalone: undefined, nnodes: '1', m: undefined },
  ],
  ['nothing of what the script is given', { command: ['torchrun', 'x.py', '--nnodes=2'] }, {}],
  ['a launcher with a path, in args', { args: ['/opt/bin/torchrun', '--nnodes=2'] }, { nnodes: '2' }],
  [
    'python -m',
    { command: ['python3', '-u', '-m', 'torch.distributed.launch', '--nnodes=2', 'x.py'] },
    { nnodes: '2' },
  ],
  [
    'a script of a shell, over several lines',
    {
      command: ['/bin/bash', '-ec'],
      args: ['set -x\nexec torchrun \\\n  --nnodes=2 \\\n  --rdzv-conf "a=1,b=2" x.py --nnodes=9 && echo done'],
    },
    { nnodes: '2', rdzv_conf: 'a=1,b=2' },
  ],
  [
    'what comes before the end of a shell command',
    { command: ['sh', '-c', 'torchrun --nnodes=2; torchrun --nnodes=3 x.py'] },
    { nnodes: '2' },
  ],
  [
    'values in quotes',
    { command: ['sh', '-c', 'torchrun --nnodes="$N" --master-port=\'29500\' x.py'] },
    { nnodes: '$N', master_port: '29500' },
  ],
])('%s', (_what, container, expected) => {
  expect(options(container)).toEqual(expected);
});

test('an option knows the word that it is in', () => {
  const direct = launchCommandOf({ command: ['torchrun'], args: ['--nnodes=2', '--nproc_per_node', '8'] }, '/c');
  expect(direct && optionNamed(direct, 'nproc_per_node')).toMatchObject({
    path: '/c/args/1',
    text: '--nproc_per_node 8',
  });
  const shell = launchCommandOf({ command: ['sh', '-c', 'torchrun --nnodes=2 x.py'] }, '/c');
  expect(shell && optionNamed(shell, 'nnodes')).toMatchObject({ path: '/c/command/2' });
});

test('any words are survived', () => {
  for (const command of [
    [],
    [''],
    ['sh'],
    ['sh', '-c'],
    ['sh', '-c', '"'],
    ['torchrun', '--'],
    ['torchrun', '-'],
    ['torchrun', '--nnodes'],
    [1, null, {}],
  ]) {
    expect(() => launchCommandOf({ command, args: 'x' }, '')).not.toThrow();
  }
});

test('variables are named in each of their forms', () => {
  expect(variablesIn('--a=$(A) ${B} $C ${D:-1} $$(E) cost $5 $')).toEqual(['A', 'B', 'C', 'D']);
});
