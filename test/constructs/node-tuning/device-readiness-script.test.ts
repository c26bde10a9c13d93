/**
 * The script that looks whether a node offers its devices, run by busybox before a kubectl that reads and writes files.
 */
import { FakeNode, type Tuner } from './fake-node';
import { hasBusybox } from '../../support/tools';

const KUBECTL = [
  '#!/bin/sh',
  'case $* in',
  '  "get node n1 -o jsonpath={.status.allocatable.nvidia\\.com/gpu}") cat "$NODE_FILES/allocatable" ;;',
  '  "get node n1 -o jsonpath={range"*) cat "$NODE_FILES/taints" ;;',
  '  "taint node n1 "*) echo "$4" >"$NODE_FILES/removed" ;;',
  '  "patch node n1 --subresource=status"*) echo "$8" >>"$NODE_FILES/patches" ;;',
  'esac',
].join('\n');

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

(hasBusybox ? describe : describe.skip)('whether devices are there', () => {
  let node: FakeNode;
  beforeEach(() => {
    node = new FakeNode({
      '/allocatable': '\n',
      '/taints': 'gantry.dev/devices-missing:NoSchedule\nother:NoExecute\n',
    });
    node.program('kubectl', KUBECTL);
  });
  afterEach(() => node.remove());

  const run = (mode: string, more: NodeJS.ProcessEnv = {}): Tuner =>
    node.start('device-readiness.sh', [mode], {
      ...node.environment([]),
      NODE_FILES: `${node.folder}/root`,
      NODE_NAME: 'n1',
      RESOURCE: 'nvidia.com/gpu',
      COUNT: '8',
      TAINT: 'gantry.dev/devices-missing:NoSchedule',
      CONDITION: 'gantry.dev/DevicesReady',
      ...more,
    });
  const patches = (): readonly Condition[] =>
    node
      .read('/patches')
      .split('\n')
      .map((line) => (JSON.parse(line) as { status: { conditions: Condition[] } }).status.conditions[0]);

  test('is reported as a condition, which follows them both ways', async () => {
    const reporter = run('report');
    await reporter.says('gantry.dev/DevicesReady=False: 0 of 8 nvidia.com/gpu allocatable');
    node.write('/allocatable', '8\n');
    await reporter.says('gantry.dev/DevicesReady=True: 8 of 8 nvidia.com/gpu allocatable');
    node.write('/allocatable', '7\n');
    await reporter.says('gantry.dev/DevicesReady=False: 7 of 8 nvidia.com/gpu allocatable');
    expect(patches().map(({ status, reason }) => [status, reason])).toEqual([
      ['False', 'DevicesMissing'],
      ['True', 'DevicesAllocatable'],
      ['False', 'DevicesMissing'],
    ]);
    expect(await reporter.end('SIGTERM')).toBe(0);
  });

  test('is reported again now and then, with the time of the last change', async () => {
    const reporter = run('report', { GANTRY_HEARTBEAT: '1' });
    await reporter.says('DevicesReady=False');
    while (patches().length < 3) {
      await new Promise((done) => setTimeout(done, 10));
    }
    expect(new Set(patches().map(({ lastTransitionTime }) => lastTransitionTime)).size).toBe(1);
    expect(reporter.log.split('\n')).toHaveLength(2);
  });

  test('keeps the startup taint on, and takes it off', async () => {
    const remover = run('untaint');
    await remover.says('waiting nvidia.com/gpu: 0 of 8 allocatable');
    node.write('/allocatable', '7\n');
    await remover.says('waiting nvidia.com/gpu: 7 of 8 allocatable');
    expect(node.has('/removed')).toBe(false);
    node.write('/allocatable', '8\n');
    await remover.says('removed gantry.dev/devices-missing:NoSchedule: 8 nvidia.com/gpu allocatable');
    expect(node.read('/removed')).toBe('gantry.dev/devices-missing:NoSchedule-');
    expect(await remover.end('SIGTERM')).toBe(0);
  });

  test('a taint that is not on the node is left alone', async () => {
    node.write('/taints', 'other:NoExecute\n');
    node.write('/allocatable', '8\n');
    await run('untaint').says('no taint gantry.dev/devices-missing:NoSchedule on this node');
    expect(node.has('/removed')).toBe(false);
  });
});
