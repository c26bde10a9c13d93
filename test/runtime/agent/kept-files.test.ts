/**
 * Files that are kept open between observations: a file that is gone, exchanged, or too much to keep must read as it would without.
 */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostRoot } from '../../../src/runtime/agent/host/host-root';
import { KeptFiles } from '../../../src/runtime/agent/host/kept-files';
import { cpuStat, HostFolder, pciDevice, rdmaPort } from './host';

let host: HostFolder;
beforeEach(() => (host = new HostFolder()));
afterEach(() => host.remove());

/** Files below the host's folder that this process has open. */
function open(): number {
  return readdirSync('/proc/self/fd').filter((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).startsWith(host.path);
    } catch {
      return false;
    }
  }).length;
}

describe('kept files', () => {
  test('are opened once, read from their start each time, and closed when they are not read any more', async () => {
    const { kept } = host.files;
    host.write({ a: '1\n', b: '22\n' });
    expect([kept.text('a'), await kept.textOnThread('b'), kept.number('a')]).toEqual(['1', '22', 1]);
    expect(open()).toBe(2);
    host.write({ a: '333\n', b: '4\n' });
    expect([kept.text('a'), await kept.textOnThread('b')]).toEqual(['333', '4']);
    expect(open()).toBe(2);
    for (let observations = 0; observations < 3; observations++) {
      expect(kept.size).toBe(2);
      kept.text('a');
      kept.sweep();
    }
    expect([kept.size, open()]).toEqual([1, 1]);
    kept.close();
    expect([kept.size, open()]).toEqual([0, 0]);
  });

  test('a file is not read again, and not closed, while a read of it has not ended', async () => {
    const { kept } = host.files;
    host.write({ a: '1' });
    const reading = kept.textOnThread('a');
    expect(kept.textOnThread('a')).toBe(reading);
    Array.from({ length: 5 }, () => kept.sweep());
    kept.close();
    expect([kept.size, open()]).toEqual([1, 1]);
    expect(await reading).toBe('1');
    kept.close();
    expect([kept.size, open()]).toEqual([0, 0]);
  });

  test('a file that is not there yet is found when it is', async () => {
    const { kept } = host.files;
    expect([kept.text('a'), await kept.textOnThread('a')]).toEqual([undefined, undefined]);
    host.write({ a: '1' });
    expect(kept.text('a')).toBe('1');
  });

  test.each([2047, 2048, 4095, 4096, 5000, 262_143, 262_144])('a file of %i bytes is read whole', async (length) => {
    const text = 'x'.repeat(length);
    host.write({ a: text });
    expect(host.files.kept.text('a')).toBe(text);
    expect(await host.files.kept.textOnThread('a')).toBe(text);
    expect(await host.root.text('a')).toBe(text);
    expect(host.root.promptText('a')).toBe(text);
  });

  test('more files than may be kept are opened for each read', async () => {
    const kept = new KeptFiles(host.root, 1);
    host.write({ a: '1', b: '2' });
    for (let rounds = 0; rounds < 2; rounds++) {
      expect([kept.text('a'), kept.text('b'), await kept.textOnThread('b')]).toEqual(['1', '2', '2']);
      expect([kept.size, open()]).toEqual([1, 1]);
    }
    kept.close();
  });

  test('where the process may open few files, all are still read', () => {
    const script = `
      const { HostFolder } = require('./test/runtime/agent/host');
      const host = new HostFolder();
      const names = Array.from({ length: 300 }, (_, index) => 'f' + index);
      host.write(Object.fromEntries(names.map((name) => [name, name])));
      const read = () => names.filter((name) => host.files.kept.text(name) === name).length;
      console.log(read(), read(), host.files.kept.size < 64);
      host.remove();`;
    const command = `ulimit -n 64 && exec "${process.execPath}" --import tsx -e "$0"`;
    expect(execFileSync('sh', ['-c', command, script], { encoding: 'utf8' })).toBe('300 300 true\n');
  }, 30_000);

  test('a folder that is exchanged for a link out of the root is not followed', () => {
    const outside = mkdtempSync(join(tmpdir(), 'gantry-outside-'));
    writeFileSync(join(outside, 'state'), 'secret');
    host.write({ 'sys/port/state': 'mine' });
    expect(host.files.kept.text('sys/port/state')).toBe('mine');
    renameSync(join(host.path, 'sys/port'), join(host.path, 'sys/old'));
    symlinkSync(outside, join(host.path, 'sys/port'));
    // The file that is open is the one within the root.
    expect(host.files.kept.text('sys/port/state')).toBe('mine');
    host.files.kept.close();
    expect(host.files.kept.text('sys/port/state')).toBeUndefined();
    rmSync(outside, { recursive: true });
  });

  test('a cgroup that is deleted and made again is read again', () => {
    // Files of the kernel cannot be read after their folder is gone, which those of a folder can.
    const group = `/sys/fs/cgroup/cpu/gantry-kept-${process.pid}`;
    try {
      mkdirSync(group);
    } catch {
      process.stdout.write('SKIPPED a deleted cgroup: no cgroup can be made here\n');
      return;
    }
    const remove = (): void => rmdirSync(group);
    const kept = new KeptFiles(new HostRoot('/'));
    const path = `${group.slice(1)}/cpu.shares`;
    expect(kept.number(path)).toBe(1024);
    remove();
    expect(kept.number(path)).toBeUndefined();
    mkdirSync(group);
    expect(kept.number(path)).toBe(1024);
    writeFileSync(join(group, 'cpu.shares'), '512');
    expect(kept.number(path)).toBe(512);
    kept.close();
    remove();
  });
});

describe('what is not listed each time', () => {
  const POD = 'sys/fs/cgroup/kubepods.slice/kubepods-pod7c9e2f60_1d2b_4c3a_9f00_0123456789ab.slice';
  const container = (name: string): string => `${POD}/cri-containerd-${name.padEnd(64, '0')}.scope`;
  const counted = (groups: number): Record<string, string> => ({
    'sys/fs/cgroup/cgroup.controllers': 'cpu\n',
    'sys/fs/cgroup/kubepods.slice/cgroup.stat': `nr_descendants ${groups}\nnr_dying_descendants 3\n`,
    [`${POD}/cpu.stat`]: cpuStat(0, 0),
  });
  const seen = (): readonly number[] =>
    host.files.cgroups.read()!.pods.flatMap(({ throttling }) => [...throttling.values()].map(({ periods }) => periods));

  test('a container that is added changes the number of groups', () => {
    host.write({ ...counted(2), [`${container('a')}/cpu.stat`]: cpuStat(10, 0) });
    expect(seen()).toEqual([10]);
    // The kernel has not counted it yet.
    host.write({ [`${container('b')}/cpu.stat`]: cpuStat(20, 0) });
    expect(seen()).toEqual([10]);
    host.write(counted(3));
    expect(seen()).toEqual([10, 20]);
  });

  test('a container that takes the place of another is seen after the other was missed', () => {
    host.write({ ...counted(2), [`${container('a')}/cpu.stat`]: cpuStat(10, 0) });
    expect(seen()).toEqual([10]);
    rmSync(join(host.path, container('a')), { recursive: true });
    host.files.kept.close();
    host.write({ [`${container('b')}/cpu.stat`]: cpuStat(20, 0) });
    expect([seen(), seen()]).toEqual([[], [20]]);
  });

  test('groups that only changed places with others are seen within six observations', () => {
    host.write({ ...counted(3), [`${container('a')}/cpu.stat`]: cpuStat(10, 0), [`${POD}/init.scope/cpu.stat`]: '' });
    expect(seen()).toEqual([10]);
    rmSync(join(host.path, POD, 'init.scope'), { recursive: true });
    host.write({ [`${container('b')}/cpu.stat`]: cpuStat(20, 0) });
    expect(Array.from({ length: 6 }, () => seen().length)).toEqual([1, 1, 1, 1, 1, 2]);
  });

  test('without a count, each observation lists the groups', () => {
    host.write({
      ...counted(2),
      'sys/fs/cgroup/kubepods.slice/cgroup.stat': '',
      [`${container('a')}/cpu.stat`]: cpuStat(10, 0),
    });
    expect(seen()).toEqual([10]);
    host.write({ [`${container('b')}/cpu.stat`]: cpuStat(20, 0) });
    expect(seen()).toEqual([10, 20]);
  });

  test('a device of the PCI bus is seen when it comes and goes, and what it is within six observations', () => {
    const addresses = (): readonly string[] => host.files.pci.read().accelerators.map(({ address }) => address);
    host.write(pciDevice('0000:17:00.0', '0x10de', '0x030200'));
    expect(addresses()).toEqual(['0000:17:00.0']);
    host.write(pciDevice('0000:18:00.0', '0x10de', '0x030200'));
    expect(addresses()).toEqual(['0000:17:00.0', '0000:18:00.0']);
    rmSync(join(host.path, 'sys/bus/pci/devices/0000:17:00.0'), { recursive: true });
    expect(addresses()).toEqual(['0000:18:00.0']);
    host.write(pciDevice('0000:18:00.0', '0x8086', '0x060000'));
    expect(Array.from({ length: 4 }, () => addresses().length)).toEqual([1, 1, 1, 0]);
  });

  test('an RDMA port is seen when it comes and goes, its counters each time, and its rate within six observations', async () => {
    host.write(rdmaPort('mlx5_0', { counters: { symbol_error: 1 } }));
    const read = async (): Promise<readonly unknown[]> =>
      (await host.files.rdma.read()).map(({ device, state, gigabitsPerSecond, counters }) => [
        device,
        state,
        gigabitsPerSecond,
        counters.symbol_error,
      ]);
    expect(await read()).toEqual([['mlx5_0', 'ACTIVE', 400, 1]]);
    host.write({
      ...rdmaPort('mlx5_0', { state: '1: DOWN', counters: { symbol_error: 2 } }),
      ...rdmaPort('mlx5_1'),
      'sys/class/infiniband/mlx5_0/ports/1/rate': '200 Gb/sec (4X HDR)\n',
    });
    expect(await read()).toEqual([
      ['mlx5_0', 'DOWN', 400, 2],
      ['mlx5_1', 'ACTIVE', 400, undefined],
    ]);
    rmSync(join(host.path, 'sys/class/infiniband/mlx5_1'), { recursive: true });
    for (let observations = 0; observations < 4; observations++) {
      expect(await read()).toEqual([['mlx5_0', 'DOWN', 400, 2]]);
    }
    expect(await read()).toEqual([['mlx5_0', 'DOWN', 200, 2]]);
  });
});
