/**
 * The tuner's script, run by busybox on a node made of files.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { FakeNode } from './fake-node';
import { hasBusybox, hasShellcheck } from '../../support/tools';

const BUFFERS = '/proc/sys/net/core/rmem_max';
const TCP = '/proc/sys/net/ipv4/tcp_rmem';
const HUGE = '/sys/kernel/mm/transparent_hugepage/enabled';
const PLAN = ['sysctl net.core.rmem_max 67108864', 'sysctl net.ipv4.tcp_rmem 4096 131072 67108864'];
const SCRIPTS = resolve(__dirname, '../../../src/constructs/node-tuning/scripts');

test.each(['tune.sh', 'device-readiness.sh'])('%s has nothing that shellcheck would change', (script) => {
  if (!hasShellcheck) {
    return;
  }
  const { stdout, status } = spawnSync('shellcheck', ['--shell=sh', resolve(SCRIPTS, script)], { encoding: 'utf8' });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});

(hasBusybox ? describe : describe.skip)('the tuner', () => {
  let node: FakeNode;
  beforeEach(() => {
    node = new FakeNode({ [BUFFERS]: '212992\n', [TCP]: '4096\t131072\t6291456\n', '/proc/sys/vm/swappiness': '60\n' });
  });
  afterEach(() => node.remove());

  const run = (plan: readonly string[] = PLAN, more: NodeJS.ProcessEnv = {}): ReturnType<FakeNode['start']> =>
    node.start('tune.sh', ['run'], node.environment(plan, more));

  test('sets values, and says what it found', () => {
    const { status, log } = node.tune('apply', PLAN);
    expect(status).toBe(0);
    expect([node.read(BUFFERS), node.read(TCP)]).toEqual(['67108864', '4096 131072 67108864']);
    expect(log).toContain(`set ${TCP}: 4096 131072 6291456 -> 4096 131072 67108864`);
  });

  test('does nothing the second time', () => {
    node.tune('apply', PLAN);
    expect(node.tune('apply', PLAN)).toEqual({ status: 0, log: '' });
  });

  test('puts the originals back when it is stopped', async () => {
    const tuner = run();
    await tuner.says('watching');
    expect(node.read(BUFFERS)).toBe('67108864');
    expect(await tuner.end('SIGTERM')).toBe(0);
    expect([node.read(BUFFERS), node.read(TCP)]).toEqual(['212992', '4096 131072 6291456']);
    expect(node.originals).toBe('');
  });

  test('sets again what somebody else changed', async () => {
    const tuner = run();
    await tuner.says('watching');
    node.write(BUFFERS, '1000000\n');
    await tuner.says(`drift ${BUFFERS}: somebody set it to 1000000`);
    await tuner.says(`set ${BUFFERS}: 1000000 -> 67108864`);
    await tuner.end('SIGTERM');
    expect(node.read(BUFFERS)).toBe('212992');
  });

  test('still knows the originals after it was killed', async () => {
    const first = run();
    await first.says('watching');
    await first.end('SIGKILL');
    expect(node.read(BUFFERS)).toBe('67108864');
    const second = run();
    await second.says('watching');
    await second.end('SIGTERM');
    expect([node.read(BUFFERS), node.read(TCP)]).toEqual(['212992', '4096 131072 6291456']);
  });

  test('puts back what a later plan no longer speaks of', () => {
    node.tune('apply', PLAN);
    const { log } = node.tune('apply', PLAN.slice(0, 1));
    expect(log).toContain(`restored ${TCP}: 4096 131072 6291456`);
    expect([node.read(BUFFERS), node.read(TCP)]).toEqual(['67108864', '4096 131072 6291456']);
    node.tune('restore', []);
    expect(node.read(BUFFERS)).toBe('212992');
  });

  test('forgets the originals of another boot', () => {
    node.tune('apply', PLAN);
    node.boot('two');
    node.write(BUFFERS, '500000\n');
    node.tune('apply', PLAN);
    node.tune('restore', PLAN);
    expect(node.read(BUFFERS)).toBe('500000');
  });

  test('reports a file that is not there, and goes on', () => {
    const { status, log } = node.tune('apply', ['sysctl fs.aio-max-nr 1048576', ...PLAN]);
    expect(log).toContain('missing /proc/sys/fs/aio-max-nr');
    expect([status, node.read(BUFFERS)]).toEqual([0, '67108864']);
    expect(node.tune('ready', PLAN).status).toBe(0);
  });

  test('is not ready while a value does not hold', () => {
    // A folder in the place of the file: there, and not to be written.
    node.write('/proc/sys/vm/max_map_count/x', '');
    const { status, log } = node.tune('apply', ['sysctl vm.max_map_count 1048576', ...PLAN]);
    expect(log).toContain('failed /proc/sys/vm/max_map_count');
    expect([status, node.read(BUFFERS)]).toEqual([1, '67108864']);
    expect(node.tune('ready', PLAN).status).toBe(1);
  });

  test.each([
    ['a parameter that is none of its', 'sysctl kernel.panic 10', '/proc/sys/kernel/panic'],
    ['a value that is no number', 'sysctl vm.swappiness 1;reboot', '/proc/sys/vm/swappiness'],
    ['a way out of the folder', 'sysctl net.core.../../vm/swappiness 1', '/proc/sys/vm/swappiness'],
    ['a kind that it does not know', 'oom-score-adj 1 -998', '/proc/1/oom_score_adj'],
  ])('refuses %s', (_what, line, file) => {
    node.write(file, '60\n');
    const { status, log } = node.tune('apply', [line]);
    expect(log).toMatch(/^refused /);
    expect([status, node.read(file)]).toEqual([0, '60']);
  });

  test('says what it would do, and does nothing, in a dry run', () => {
    const { log } = node.tune('apply', PLAN, { GANTRY_DRY_RUN: '1' });
    expect(log).toContain(`would set ${BUFFERS}: 212992 -> 67108864`);
    expect([node.read(BUFFERS), node.originals]).toEqual(['212992', '']);
  });

  test('reads the choice between brackets, and restores it by its word', () => {
    node.write(HUGE, 'always [madvise] never\n');
    expect(node.tune('apply', ['transparent-huge-pages enabled madvise']).log).toBe('');
    node.tune('apply', ['transparent-huge-pages enabled never']);
    expect(node.originals).toBe(`${HUGE}\tmadvise\n`);
    node.tune('restore', []);
    expect(node.read(HUGE)).toBe('madvise');
  });

  test('sets the governor of every CPU that knows it', () => {
    for (const cpu of [0, 1, 10]) {
      node.write(`/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_governor`, 'powersave\n');
      node.write(
        `/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_available_governors`,
        cpu === 1 ? 'powersave\n' : 'performance powersave\n',
      );
    }
    const { log } = node.tune('apply', ['cpu-governor performance']);
    expect([0, 1, 10].map((cpu) => node.read(`/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_governor`))).toEqual([
      'performance',
      'powersave',
      'performance',
    ]);
    expect(log).toContain('missing governor performance at /sys/devices/system/cpu/cpu1/cpufreq/scaling_governor');
  });

  test('says that a virtual machine has no governor', () => {
    expect(node.tune('apply', ['cpu-governor performance'])).toMatchObject({
      status: 0,
      log: expect.stringContaining('does not let its clock be chosen') as string,
    });
  });

  describe('interrupts', () => {
    const irqs = [40, 41, 42];
    beforeEach(() => {
      for (const irq of irqs) {
        node.write(`/sys/class/net/ens1f0/device/msi_irqs/${irq}`, '');
        node.write(`/proc/irq/${irq}/smp_affinity_list`, '0-63\n');
      }
      node.write('/sys/class/net/ens1f0/device/local_cpulist', '8-9,24\n');
      node.write('/sys/class/net/lo/address', '00:00\n');
    });
    const places = (): readonly string[] => irqs.map((irq) => node.read(`/proc/irq/${irq}/smp_affinity_list`));

    test('go to the CPUs near the card', () => {
      node.tune('apply', ['irq-affinity ens* local']);
      expect(places()).toEqual(['8-9,24', '8-9,24', '8-9,24']);
      node.tune('restore', []);
      expect(places()).toEqual(['0-63', '0-63', '0-63']);
    });

    test('go to one CPU each, in turn', () => {
      node.tune('apply', ['irq-affinity ens1f? spread']);
      expect(places()).toEqual(['8', '9', '24']);
    });

    test('of a missing interface are reported', () => {
      expect(node.tune('apply', ['irq-affinity ib* local'])).toMatchObject({
        status: 0,
        log: expect.stringContaining('missing interface ib*') as string,
      });
    });
  });

  describe('GPUs', () => {
    const SMI = [
      '#!/bin/sh',
      'case $* in',
      '  *query-gpu=uuid*) ls "$GPUS" ;;',
      '  --id=*) cat "$GPUS/${1#--id=}" ;;',
      '  *-pm*) [ "$4" = 1 ] && echo Enabled >"$GPUS/$2" || echo Disabled >"$GPUS/$2" ;;',
      'esac',
    ].join('\n');

    test('stay ready, and are as before afterwards', () => {
      node.program('nvidia-smi', SMI);
      node.write('/gpus/GPU-aaa', 'Disabled\n');
      node.write('/gpus/GPU-bbb', 'Enabled\n');
      const env = { GPUS: `${node.folder}/root/gpus` };
      const { log } = node.tune('apply', ['gpu-persistence Enabled'], env);
      expect(log).toBe('set gpu:GPU-aaa: Disabled -> Enabled\n');
      node.tune('restore', [], env);
      expect([node.read('/gpus/GPU-aaa'), node.read('/gpus/GPU-bbb')]).toEqual(['Disabled', 'Enabled']);
    });

    test('are passed over where there is no driver', () => {
      expect(node.tune('apply', ['gpu-persistence Enabled'])).toMatchObject({
        status: 0,
        log: expect.stringContaining('missing nvidia-smi') as string,
      });
    });
  });
});
