/**
 * Sources that lie, hang, or want to fill the memory: each costs what it would have said, and nothing else.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCapacityReport } from '../../../src/placement/nodes/capacity-report';
import { EXPORTER_VENDORS, readAccelerators } from '../../../src/runtime/agent/devices/accelerators';
import { parseExposition } from '../../../src/runtime/agent/devices/exposition';
import { fetchText } from '../../../src/runtime/agent/devices/fetch-text';
import { runNvidiaTool } from '../../../src/runtime/agent/devices/nvidia-tool';
import { CapacityReporter } from '../../../src/runtime/agent/judge/capacity';
import { PodResources } from '../../../src/runtime/agent/kubelet/pod-resources';
import { observe } from '../../../src/runtime/agent/observation';
import { fakeServer } from '../fake-server';
import { dcgmText, HostFolder, rdmaPort } from './host';

let host: HostFolder;
beforeEach(() => (host = new HostFolder()));
afterEach(() => host.remove());

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

describe('exporters', () => {
  test('an answer of 100 MB is refused after 8 MiB', async () => {
    let sent = 0;
    const exporter = await fakeServer((_, response) => {
      const chunk = Buffer.alloc(2 ** 20, 'a');
      const send = (): void => {
        while (sent < 100 && !response.destroyed) {
          sent++;
          if (!response.write(chunk)) {
            response.once('drain', send);
            return;
          }
        }
        response.end();
      };
      send();
    });
    await expect(fetchText(exporter.url, 20_000)).rejects.toThrow('the response is larger than 8388608 bytes');
    expect(sent).toBeLessThan(50);
    await exporter.close();
  });

  test('an answer that breaks off is an error at once, and not after the timeout', async () => {
    const exporter = await fakeServer((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('DCGM_FI_DEV_FB_USED');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(fetchText(exporter.url, 60_000)).rejects.toThrow(exporter.url);
    await exporter.close();
  });

  test.each<readonly [string, string]>([
    ['empty lines', '\n'.repeat(8_000_000)],
    ['one line of spaces', `DCGM_FI_DEV_FB_USED${' '.repeat(8_000_000)}} }`],
    ['lines of spaces', `DCGM_FI_DEV_FB_USED${' '.repeat(60_000)}} }\n`.repeat(130)],
    ['braces', `DCGM_FI_DEV_FB_USED${'{}'.repeat(30_000)} x y z\n`.repeat(130)],
    ['labels that do not end', `DCGM_FI_DEV_FB_USED{${'a="'.repeat(20_000)} 1\n`.repeat(130)],
    ['escapes', `DCGM_FI_DEV_FB_USED{a="${'\\"'.repeat(30_000)}} 1\n`.repeat(130)],
  ])('8 MB of %s take less than two seconds of CPU', (_, text) => {
    const before = cpuMs();
    expect(readAccelerators('nvidia', text)).toEqual([]);
    expect(cpuMs() - before).toBeLessThan(2000);
  });

  test.each(['NaN', '+Inf', '-Inf', '-1', '1e999', '0x10', ''])('free memory of %s is not reported', (value) => {
    const labels = '{gpu="0",UUID="GPU-0"}';
    const text = `DCGM_FI_DEV_FB_USED${labels} 10\nDCGM_FI_DEV_FB_FREE${labels} ${value}\n`;
    const devices = readAccelerators('nvidia', text);
    expect(devices[0].totalMiB).toBe(value === '0x10' ? 26 : undefined);
    const report = new CapacityReporter().report(devices, 0) ?? '';
    expect(parseCapacityReport(report)?.devices.size).toBe(1);
  });

  test('labels that name no device, or one that no node has', () => {
    const names = ['', '-1', '1e9', '1024', '9'.repeat(400), '__proto__', 'constructor', '0/../../1 2'];
    const lines = names.map((name) => `DCGM_FI_DEV_FB_USED{gpu="${name}"} 1`);
    expect(readAccelerators('nvidia', lines.join('\n')).map(({ index }) => index)).toEqual([1, 2, 9]);
  });

  test('random bytes are no device of any vendor', () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919 + 13) % 256)).toString('utf8');
    EXPORTER_VENDORS.forEach((vendor) => expect(readAccelerators(vendor, bytes)).toEqual([]));
    expect(parseExposition(bytes, () => true)).toEqual([]);
  });
});

describe('files of the host', () => {
  test('a link out of the root is not followed, and one within it is', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'gantry-outside-'));
    writeFileSync(join(secret, 'state'), '42');
    host.write({ 'sys/devices/real': '7' });
    symlinkSync(join(secret, 'state'), join(host.path, 'sys/absolute'));
    symlinkSync(`../../${secret.split('/').at(-1)}/state`, join(host.path, 'sys/relative'));
    symlinkSync(secret, join(host.path, 'sys/folder'));
    symlinkSync('devices/real', join(host.path, 'sys/inside'));
    expect(await host.root.number('sys/inside')).toBe(7);
    expect(await host.root.number('sys/absolute')).toBeUndefined();
    expect(await host.root.number('sys/relative')).toBeUndefined();
    expect(await host.root.number('sys/folder/state')).toBeUndefined();
    expect(await host.root.list('sys/folder')).toEqual([]);
    expect(await host.root.text('../../../../../../etc/passwd')).toBeUndefined();
    rmSync(secret, { recursive: true });
  });

  test('a pipe, a folder, and a loop of links are nothing to read', async () => {
    mkdirSync(join(host.path, 'sys'));
    execFileSync('mkfifo', [join(host.path, 'sys/pipe')]);
    symlinkSync('loop', join(host.path, 'sys/loop'));
    expect(await host.root.text('sys/pipe')).toBeUndefined();
    expect(await host.root.text('sys')).toBeUndefined();
    expect(await host.root.text('sys/loop')).toBeUndefined();
  });

  test('ports that vanish while they are read leave no failure behind', async () => {
    for (let round = 0; round < 20; round++) {
      Array.from({ length: 8 }, (_, index) => host.write(rdmaPort(`mlx5_${index}`)));
      const sources = { host: host.files, exporters: [], timeout: 5000, now: () => 0 };
      const [{ failures, rdma }] = await Promise.all([
        observe(sources),
        Promise.resolve().then(() => rmSync(join(host.path, 'sys/class'), { recursive: true })),
      ]);
      expect(failures).toEqual([]);
      expect((rdma ?? []).length).toBeLessThanOrEqual(8);
    }
  });

  test('a file that does not end is read up to 256 KiB', async () => {
    host.write({ 'sys/big': 'x'.repeat(1_000_000) });
    expect((await host.root.text('sys/big'))?.length).toBe(262_144);
  });
});

describe('the kubelet and nvidia-smi', () => {
  let server: Server | undefined;
  afterEach(async () => {
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
  });

  test('a socket that accepts and says nothing costs its own time only', async () => {
    const socket = join(host.path, 'kubelet.sock');
    const open = new Set<Socket>();
    server = createSocketServer((connection) => open.add(connection));
    await new Promise<void>((resolve) => server!.listen(socket, resolve));
    const exporter = await fakeServer((_, response) => void response.end(dcgmText([1])));
    const podResources = new PodResources(socket);
    const found = await observe({
      host: host.files,
      exporters: [{ vendor: 'nvidia', url: exporter.url }],
      podResources,
      timeout: 1500,
      now: () => 0,
    });
    expect(found.failures.map(({ source, message }) => `${source}: ${message}`)).toEqual([
      expect.stringMatching(/^kubelet: .*no response within 1500 ms$/),
    ]);
    expect(found.accelerators).toHaveLength(1);
    podResources.close();
    open.forEach((connection) => connection.destroy());
    await exporter.close();
  });

  test.each([
    ['is not there', '/nowhere/nvidia-smi', 'ENOENT'],
    ['fails and prints nothing', '/bin/false', 'Command failed'],
  ])('a program that %s is an error of one line', async (_, path, message) => {
    const error = await runNvidiaTool(path)('-q', '-x').then(
      () => new Error('it ran'),
      (failure: Error) => failure,
    );
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('\n');
  });
});
