/**
 * `npm run bench:agent -- --seconds N --pods N`: CPU time and memory of one node agent.
 *
 * The bundled program runs as a process of its own, with the heap and the interval that the construct sets, on the files of a host with eight GPUs,
 * eight RDMA ports, 200 other devices on the PCI bus, and pods of two containers, all below one folder; on the exporter, the kubelet, and the API
 * server of this process. CPU counters of the containers advance, the report changes with each observation, so that the agent writes as often as it
 * ever does, and its metrics are scraped. CPU time is that of the process by the kernel, so that other load on the machine matters little. An idle
 * Node.js is measured in the same way.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FakeKubelet } from '../test/e2e/remediation/fake-kubelet';
import { cpuStat, dcgmText, HostFolder, pciDevice, pressure, rdmaPort } from '../test/runtime/agent/host';
import { machine } from './machine';

const BUNDLE = join(__dirname, '..', 'lib', 'bundles', 'node-agent.js');
/** Mebibytes, as the construct sets it. */
const HEAP = 80;
const GPUS = 8;
const OTHER_DEVICES = 200;
/** Seconds between two scrapes, as Prometheus' operator sets it. */
const SCRAPE = 30;
/** Files of a group that the agent does not read, and finds where it lists folders: those of Linux 6.8 with the controllers of a kubelet. */
const OTHER_FILES =
  'cgroup.controllers cgroup.events cgroup.freeze cgroup.kill cgroup.max.depth cgroup.max.descendants cgroup.pressure cgroup.procs cgroup.stat cgroup.subtree_control cgroup.threads cgroup.type cpu.idle cpu.max cpu.max.burst cpu.stat.local cpu.uclamp.max cpu.uclamp.min cpu.weight cpu.weight.nice cpuset.cpus cpuset.cpus.effective cpuset.cpus.exclusive cpuset.mems cpuset.mems.effective hugetlb.2MB.current hugetlb.2MB.events hugetlb.2MB.max io.max io.stat io.weight memory.events.local memory.high memory.low memory.max memory.min memory.numa_stat memory.oom.group memory.peak memory.reclaim memory.stat memory.swap.current memory.swap.max misc.current misc.max pids.current pids.events pids.max pids.peak rdma.current rdma.max'.split(
    ' ',
  );
/** Clock ticks of the kernel in a second. */
const TICKS = 100;
/** Seconds before the measurement: the program compiles what it runs often. */
const WARM_UP = 30;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, pods: { type: 'string', default: '60' } },
});
const seconds = Number(values.seconds);
const pods = Number(values.pods);
if (!(seconds > 0) || !Number.isInteger(pods) || pods < 0) {
  throw new Error('--seconds must be a number greater than 0, and --pods a whole number.');
}

const uidOf = (index: number): string => `7c9e2f60-1d2b-4c3a-9f00-${String(index).padStart(12, '0')}`;

function podFiles(index: number, periods: number): Readonly<Record<string, string>> {
  const uid = uidOf(index);
  const folder = `sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice`;
  const containers = [0, 1].map(
    (container) => `${folder}/cri-containerd-${`${index}${container}`.padStart(64, 'a')}.scope`,
  );
  return {
    [`${folder}/cpu.stat`]: cpuStat(0, 0),
    [`${folder}/memory.events`]: 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n',
    [`${folder}/memory.current`]: '1048576\n',
    ...Object.fromEntries(['cpu', 'memory', 'io'].map((name) => [`${folder}/${name}.pressure`, pressure(0, 0)])),
    ...Object.fromEntries(containers.map((path) => [`${path}/cpu.stat`, cpuStat(periods, 0)])),
  };
}

/** What does not change of a pod. */
function podLayout(index: number): Readonly<Record<string, string>> {
  const folders = [...new Set(Object.keys(podFiles(index, 0)).map(dirname))];
  return {
    [`var/log/pods/research_trainer-${index}_${uidOf(index)}/main/0.log`]: '',
    ...Object.fromEntries(folders.flatMap((folder) => OTHER_FILES.map((name) => [`${folder}/${name}`, '0\n']))),
  };
}

function hostFiles(): Readonly<Record<string, string>> {
  const counters = { port_rcv_data: 1, port_xmit_data: 1, port_xmit_wait: 0, symbol_error: 0, link_error_recovery: 0 };
  return Object.assign(
    {
      'sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids\n',
      'sys/fs/cgroup/kubepods.slice/cgroup.stat': `nr_descendants ${2 + 3 * pods}\nnr_dying_descendants 0\n`,
    },
    ...['cpu', 'memory', 'io'].map((name) => ({ [`proc/pressure/${name}`]: pressure(0, 0) })),
    ...Array.from({ length: GPUS }, (_, i) => ({
      ...pciDevice(`0000:${i}a:00.0`, '0x10de', '0x030200', i < GPUS / 2 ? 0 : 1),
      ...rdmaPort(`mlx5_${i}`, { counters }),
    })),
    ...Array.from({ length: OTHER_DEVICES }, (_, i) =>
      pciDevice(
        `0000:ff:${Math.floor(i / 8)
          .toString(16)
          .padStart(2, '0')}.${i % 8}`,
        '0x8086',
        '0x088000',
      ),
    ),
    ...[0, 1].flatMap((node) =>
      ['2048', '1048576'].map((size) => ({
        [`sys/devices/system/node/node${node}/hugepages/hugepages-${size}kB/nr_hugepages`]: '512\n',
        [`sys/devices/system/node/node${node}/hugepages/hugepages-${size}kB/free_hugepages`]: '512\n',
      })),
    ),
    ...Array.from({ length: pods }, (_, i) => ({ ...podFiles(i, 0), ...podLayout(i) })),
  ) as Readonly<Record<string, string>>;
}

interface Cost {
  /** Part of one core. */
  readonly cpu: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

async function costOf(child: ChildProcess): Promise<Cost> {
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const status = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) /
    1024;
  await sleep(WARM_UP * 1000);
  const [before, started] = [ticks(), performance.now()];
  await sleep(seconds * 1000);
  return {
    cpu: (ticks() - before) / TICKS / ((performance.now() - started) / 1000),
    residentMiB: status('VmRSS'),
    peakMiB: status('VmHWM'),
  };
}

async function serve(listener: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function freePort(): Promise<number> {
  const { server, url } = await serve(() => undefined);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return Number(new URL(url).port);
}

async function measure(args: readonly string[]): Promise<Cost> {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP}`, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    return await costOf(child);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

const tell = ({ cpu, residentMiB, peakMiB }: Cost): string =>
  `${(cpu * 100).toFixed(2)}% of a core, ${residentMiB.toFixed(1)} MiB resident, ${peakMiB.toFixed(1)} MiB at most`;

async function main(): Promise<void> {
  const host = new HostFolder().write(hostFiles());
  const kubelet = await FakeKubelet.start(host.path, GPUS);
  let step = 0;
  let patches = 0;
  const exporter = await serve((_, response) => {
    step++;
    response.end(dcgmText(Array.from({ length: GPUS }, (_, i) => ((step + i) % 2 === 0 ? 70_000 : 4))));
  });
  const api = await serve((request, response) => {
    patches += request.method === 'PATCH' ? 1 : 0;
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  const kubeconfig = join(host.path, 'kubeconfig');
  const context = { cluster: 'bench', user: 'bench' };
  const user = { token: 'bench' };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'bench', cluster: { server: api.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'bench', user }],
      contexts: [{ name: 'bench', context }],
      'current-context': 'bench',
    }),
  );
  let periods = 0;
  const counting = setInterval(() => {
    periods += 100;
    Array.from({ length: pods }, (_, i) => host.write(podFiles(i, periods)));
  }, 10_000);
  const port = await freePort();
  let scrapes = 0;
  const scraping = setInterval(() => {
    get({ port, path: '/metrics' }, (response) => {
      scrapes += response.statusCode === 200 ? 1 : 0;
      response.resume();
    }).on('error', () => undefined);
  }, SCRAPE * 1000);
  try {
    const flags = ['--node=n-0', `--host-root=${host.path}`, `--port=${port}`, `--kubeconfig=${kubeconfig}`];
    const expected = [`--expect-devices=nvidia.com/gpu=${GPUS}`, `--expect-rdma-ports=${GPUS}`];
    const [idle, agent] = await Promise.all([
      measure(['-e', 'setInterval(() => undefined, 10_000)']),
      measure([BUNDLE, ...flags, ...expected, `--exporter=nvidia=${exporter.url}/metrics`]),
    ]);
    console.log(JSON.stringify({ machine: machine(), seconds, pods, patches, scrapes, idle, agent }));
    console.log(`Node.js alone: ${tell(idle)}`);
    console.log(`node agent:    ${tell(agent)}; ${patches} patches, ${scrapes} scrapes`);
  } finally {
    clearInterval(counting);
    clearInterval(scraping);
    await kubelet.stop();
    [exporter.server, api.server].forEach((server) => {
      server.closeAllConnections();
      server.close();
    });
    host.remove();
  }
}

void main();
