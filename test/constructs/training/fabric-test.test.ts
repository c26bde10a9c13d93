import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, Chart, Duration } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { manifestsOf } from '../../../src/manifests/constructs';
import { asArray, asObject } from '../../../src/manifests/read';
import { Accelerator, NcclProfile, NodeSelection, Rdma } from '../../../src/constructs/pods';
import { GantryQueue } from '../../../src/constructs/scheduler';
import { FabricTest, type FabricTestProps } from '../../../src/constructs/training';
import { FABRIC_TEST_EXIT, fabricScript } from '../../../src/constructs/training/fabric-script';
import '../../../src/interfaces/checks';
import { hasBusybox, hasShellcheck } from '../../support/tools';

const RACK = 'topology.kubernetes.io/rack';
const STATED: FabricTestProps = {
  image: 'registry.example.com/nccl-tests:2.17',
  nodes: 4,
  accelerators: Accelerator.nvidia({ count: 8 }),
  resources: { cpu: 32, memory: '256Gi' },
  expectedBusBandwidth: 350,
};

function made(
  props: Partial<FabricTestProps> = {},
  change: (test: FabricTest) => unknown = () => undefined,
): JsonObject {
  const chart = new Chart(new App(), 'tests', { namespace: 'ml' });
  change(new FabricTest(chart, 'rack-7', { ...STATED, ...props }));
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  const [job] = manifestsOf(chart).manifests;
  return job.object;
}

function role(job: JsonObject, name: string): JsonObject {
  return asObject(asObject(asObject(job.spec).mpiReplicaSpecs)[name]);
}

function podOf(job: JsonObject, name: string): JsonObject {
  return asObject(asObject(role(job, name).template).spec);
}

function commandOf(job: JsonObject): readonly unknown[] {
  return asArray(asObject(asArray(podOf(job, 'Launcher').containers)[0]).command);
}

describe('the job', () => {
  test('runs one rank on each device of each node, once, and leaves no worker behind', () => {
    const job = made();

    expect(job).toMatchObject({
      kind: 'MPIJob',
      apiVersion: 'kubeflow.org/v2beta1',
      spec: {
        slotsPerWorker: 8,
        launcherCreationPolicy: 'WaitForWorkersReady',
        runPolicy: { backoffLimit: 0, cleanPodPolicy: 'Running', activeDeadlineSeconds: 900 },
      },
    });
    expect(role(job, 'Worker').replicas).toBe(4);
    expect(commandOf(job).slice(3)).toEqual([
      'fabric-test',
      '350',
      '32',
      'all_reduce_perf',
      '-b',
      '1G',
      '-e',
      '8G',
      '-f',
      '2',
      '-g',
      '1',
      '-n',
      '20',
    ]);
  });

  test('sizes, program, and iterations are those that are stated', () => {
    const job = made({
      collective: 'all-to-all',
      messageSizes: { min: '1536Ki', max: '3Gi' },
      iterations: 50,
      programFolder: '/opt/nccl-tests/build/',
      activeDeadline: Duration.minutes(5),
    });

    expect(commandOf(job).slice(6)).toEqual([
      '/opt/nccl-tests/build/alltoall_perf',
      '-b',
      '1536K',
      '-e',
      '3G',
      '-f',
      '2',
      '-g',
      '1',
      '-n',
      '50',
    ]);
    expect(asObject(asObject(job.spec).runPolicy).activeDeadlineSeconds).toBe(300);
  });

  test('a named domain selects the nodes of the workers and not that of the launcher', () => {
    const job = made({ domain: { level: RACK, name: 'r7' }, nodeSelection: NodeSelection.labels({ pool: 'h100' }) });

    expect(podOf(job, 'Worker').nodeSelector).toEqual({ pool: 'h100', [RACK]: 'r7' });
    expect(podOf(job, 'Launcher').nodeSelector).toBeUndefined();
  });

  test('without a name, the workers are in one domain, each on a node of its own', () => {
    const worker = podOf(made({ domain: { level: RACK } }), 'Worker');
    const self = { labelSelector: { matchLabels: { 'gantry.dev/training': 'rack-7' } } };

    expect(worker.affinity).toMatchObject({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: RACK, ...self }] },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', ...self }],
      },
    });
    expect(podOf(made({ domain: { level: RACK } }), 'Launcher').affinity).toBeUndefined();
  });

  test('RDMA devices are for workers, and the variables of NCCL for the launcher too, which passes them on', () => {
    const job = made({
      rdma: Rdma.shared('rdma/hca', 1, { nccl: NcclProfile.infiniband({ hcas: ['mlx5_0'] }) }),
    });
    const container = (name: string): JsonObject => asObject(asArray(podOf(job, name).containers)[0]);

    expect(asObject(container('Worker').resources).limits).toMatchObject({ 'rdma/hca': 1, 'nvidia.com/gpu': 8 });
    expect(asObject(container('Launcher').resources).limits).not.toHaveProperty(['rdma/hca']);
    expect(container('Launcher').env).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'NCCL_IB_HCA' })]) as unknown,
    );
  });

  test('a queue whose scheduler knows topologies gets the level', () => {
    const job = made({ domain: { level: RACK } }, (test) => test.submitTo(GantryQueue.fromName('research')));
    expect(JSON.stringify(job)).toContain('gantry.dev/');
    expect(JSON.stringify(asObject(role(job, 'Worker').template).metadata)).toContain(RACK);
  });

  test.each<[string, Partial<FabricTestProps>, string]>([
    [
      'no bandwidth',
      { expectedBusBandwidth: 0 },
      'expectedBusBandwidth must be a number of GB/s greater than 0, not 0.',
    ],
    ['no number', { expectedBusBandwidth: Number.NaN }, 'expectedBusBandwidth'],
    ['no nodes', { nodes: 0 }, 'nodes must be a whole number greater than or equal to 1, not 0.'],
    ['half an iteration', { iterations: 0.5 }, 'iterations must be a whole number'],
    [
      'sizes in reverse',
      { messageSizes: { min: '8Gi', max: '1Gi' } },
      'messageSizes.min must be greater than 0 and not exceed messageSizes.max, but they are "8Gi" and "1Gi".',
    ],
    ['an empty message', { messageSizes: { min: '0', max: '1Gi' } }, 'messageSizes.min must be greater than 0'],
    ['an empty level', { domain: { level: '' } }, 'level must be a node label'],
  ])('%s is an error', (_what, props, message) => {
    expect(() => new FabricTest(new Chart(new App(), 'c'), 'rack-7', { ...STATED, ...props })).toThrow(message);
  });
});

/** Lines as nccl-tests prints them (src/common.cu), with two sizes. */
function output({ busbw = '372.10', average = '361.2', wrong = '0', extra = '' } = {}): string {
  return `# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid     41 on rack-7-worker-0 device  0 [0x1b] NVIDIA H100 80GB HBM3
${extra}#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
  1073741824     268435456     float     sum      -1   5980.1  179.55  347.90      0   5960.4  180.15  349.04      0
  8589934592    2147483648     float     sum      -1    44722  192.07  ${busbw}      ${wrong}    44810  191.70  371.42      0
# Out of bounds values : ${wrong} ${wrong === '0' ? 'OK' : 'FAILED'}
# Avg bus bandwidth    : ${average} 
#
`;
}

interface Ran {
  readonly code: number | null;
  readonly message: string;
  readonly arguments: string;
  readonly log: string;
}

/** Runs the script with an `mpirun` that prints this and ends with this code. */
function run(
  printed: string,
  code = 0,
  env: Readonly<Record<string, string>> = {},
  shell: readonly string[] = ['/bin/sh'],
): Ran {
  const folder = mkdtempSync(join(tmpdir(), 'fabric-'));
  try {
    writeFileSync(join(folder, 'printed'), printed);
    const mpirun = `#!/bin/sh\nprintf '%s\\n' "$*" >"${folder}/arguments"\ncat "${folder}/printed"\nexit ${code}\n`;
    writeFileSync(join(folder, 'mpirun'), mpirun);
    chmodSync(join(folder, 'mpirun'), 0o755);
    const words = ['-c', fabricScript(), 'fabric-test', '350', '32', '/opt/all_reduce_perf', '-b', '1G', '-g', '1'];
    const [program, ...applet] = shell;
    const done = spawnSync(program, [...applet, ...words], {
      encoding: 'utf8',
      env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder, TERMINATION_LOG: join(folder, 'message'), ...env },
    });
    return {
      code: done.status,
      message: readFileSync(join(folder, 'message'), 'utf8').trim(),
      arguments: readFileSync(join(folder, 'arguments'), 'utf8').trim(),
      log: done.stdout,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the script', () => {
  test('succeeds if the average is at least what is expected, and says the numbers', () => {
    const { code, message, log } = run(output());
    expect(code).toBe(FABRIC_TEST_EXIT.passed);
    expect(message).toBe(
      'all_reduce_perf on 32 devices: 361.2 GB/s of the expected 350 GB/s bus bandwidth; messages of 8589934592 bytes: 371.42 GB/s',
    );
    expect(log).toContain('# Avg bus bandwidth    : 361.2');
    expect(log.trim().split('\n').at(-1)).toBe(`fabric-test: ${message}`);
  });

  test.each<[string, string, number, number, RegExp]>([
    [
      'as fast as expected',
      output({ average: '350' }),
      0,
      FABRIC_TEST_EXIT.passed,
      /^all_reduce_perf on 32 devices: 350 GB/,
    ],
    [
      'a little slower',
      output({ average: '349.999' }),
      0,
      FABRIC_TEST_EXIT.slow,
      /: 349.999 GB\/s of the expected 350 GB\/s/,
    ],
    [
      'over sockets',
      output({ average: '2.41e+00', busbw: '  2.41' }),
      0,
      FABRIC_TEST_EXIT.slow,
      /messages of 8589934592 bytes: 2.41 GB/,
    ],
    ['wrong values', output({ wrong: '3' }), 1, FABRIC_TEST_EXIT.wrong, /computed 3 wrong values on 32 devices$/],
    [
      'no connection',
      'ssh: connect to host rack-7-worker-2 port 22: Connection refused\n',
      255,
      FABRIC_TEST_EXIT.noResult,
      /ended with code 255$/,
    ],
    ['no sizes', output({ average: '-nan' }), 0, FABRIC_TEST_EXIT.noResult, /printed no bus bandwidth/],
    ['a crash at the end', output(), 139, FABRIC_TEST_EXIT.noResult, /361.2 GB.*; then mpirun ended with code 139$/],
    ['nothing at all', '', 0, FABRIC_TEST_EXIT.noResult, /printed no bus bandwidth, and mpirun ended with code 0$/],
  ])('%s', (_what, printed, code, expected, message) => {
    const ran = run(printed, code);
    expect(ran.message).toMatch(message);
    expect(ran.code).toBe(expected);
  });

  test('a size that does not fit is said', () => {
    const extra = '#\n# Reducing maxBytes to 4294967296 due to memory limitation\n';
    expect(run(output({ extra })).message).toMatch(
      /; the greatest message was reduced, because device memory is too small$/,
    );
  });

  (hasBusybox ? test : test.skip)('reads the same with the shell of busybox', () => {
    expect(run(output(), 0, {}, ['busybox', 'sh']).code).toBe(FABRIC_TEST_EXIT.passed);
    expect(run(output({ average: '12.5' }), 0, {}, ['busybox', 'sh']).message).toMatch(
      /: 12.5 GB\/s of the expected 350/,
    );
  });

  (hasShellcheck ? test : test.skip)('has nothing that shellcheck would change', () => {
    const script = resolve(__dirname, '../../../src/constructs/training/scripts/fabric-test.sh');
    const { stdout, status } = spawnSync('shellcheck', ['--shell=sh', script], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });

  test('passes the variables of NCCL on, and no limit of its own to the program', () => {
    const ran = run(output(), 0, {
      NCCL_IB_HCA: 'mlx5_0',
      UCX_NET_DEVICES: 'a b',
      NCCL_TESTS_MIN_BW: '1000',
      OTHER: 'x',
    });
    expect(ran.arguments).toMatch(/^--allow-run-as-root --bind-to none -np 32 --hostfile \/etc\/mpi\/hostfile /);
    expect(ran.arguments).toContain('-x NCCL_IB_HCA');
    expect(ran.arguments).toContain('-x UCX_NET_DEVICES');
    expect(ran.arguments).not.toMatch(/MIN_BW|OTHER/);
    expect(ran.arguments).toMatch(/ \/opt\/all_reduce_perf -b 1G -g 1$/);
  });
});
