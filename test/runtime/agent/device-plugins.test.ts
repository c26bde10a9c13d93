/**
 * The folder of device plugins' sockets, as a folder with real sockets, hostile ones among them.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DEVICE_PLUGINS_FOLDER, readDevicePlugins } from '../../../src/runtime/agent/kubelet/device-plugins';
import { HostFolder } from './host';

let host: HostFolder;
let folder: string;
let servers: Server[];
beforeEach(() => {
  host = new HostFolder();
  folder = join(host.path, DEVICE_PLUGINS_FOLDER);
  mkdirSync(folder, { recursive: true });
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  host.remove();
});

async function listen(name: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
  servers.push(server);
  return server;
}

/** A socket whose program has ended without removing it. */
function leaveBehind(name: string): void {
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script, join(folder, name)]);
}

const checkpoint = (value: unknown): void =>
  writeFileSync(join(folder, 'kubelet_internal_checkpoint'), typeof value === 'string' ? value : JSON.stringify(value));

test('sockets on which a program listens, and those that were left behind', async () => {
  await listen('kubelet.sock');
  await listen('nvidia-gpu.sock');
  leaveBehind('rdma.sock');
  checkpoint({
    Data: { PodDeviceEntries: null, RegisteredDevices: { 'nvidia.com/gpu': ['GPU-0', 'GPU-1'], 'rdma/hca': null } },
  });
  expect(await readDevicePlugins(folder, 10_000)).toEqual({
    kubeletAnswers: true,
    sockets: [
      { name: 'nvidia-gpu.sock', answers: true },
      { name: 'rdma.sock', answers: false },
    ],
    registered: new Map([
      ['nvidia.com/gpu', 2],
      ['rdma/hca', 0],
    ]),
  });
});

test('without a kubelet, and without the folder', async () => {
  leaveBehind('kubelet.sock');
  expect(await readDevicePlugins(folder, 1000)).toEqual({ kubeletAnswers: false, sockets: [] });
  expect(await readDevicePlugins(join(folder, 'none'), 1000)).toBeUndefined();
});

test('neither links nor files nor pipes are connected to or read', async () => {
  const outside = await new Promise<Server>((resolve) => {
    const server = createServer();
    server.listen(join(host.path, 'outside.sock'), () => resolve(server));
  });
  servers.push(outside);
  let connections = 0;
  outside.on('connection', (socket) => {
    connections++;
    socket.destroy();
  });
  symlinkSync(join(host.path, 'outside.sock'), join(folder, 'link.sock'));
  writeFileSync(join(folder, 'file.sock'), 'x');
  spawnSync('mkfifo', [join(folder, 'pipe.sock')]);
  spawnSync('mkfifo', [join(folder, 'kubelet_internal_checkpoint')]);
  expect(await readDevicePlugins(folder, 1000)).toEqual({ kubeletAnswers: false, sockets: [] });
  expect(connections).toBe(0);
});

test.each([
  ['text', 'garbage{'],
  ['a list', []],
  ['nothing in it', {}],
  ['devices that are a list', { Data: { RegisteredDevices: [] } }],
  ['five megabytes', `"${'x'.repeat(5 * 2 ** 20)}"`],
])('a file of registrations that is %s is ignored', async (_, value) => {
  await listen('kubelet.sock');
  checkpoint(value);
  expect(await readDevicePlugins(folder, 10_000)).toEqual({ kubeletAnswers: true, sockets: [] });
});

test('at most 64 sockets are looked at', async () => {
  for (let i = 0; i < 70; i++) {
    await listen(`plugin-${i}.sock`);
  }
  expect((await readDevicePlugins(folder, 1000))!.sockets).toHaveLength(64);
});
