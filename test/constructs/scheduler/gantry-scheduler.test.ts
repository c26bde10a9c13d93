/**
 * GantryScheduler: the objects that it makes, and that they are good.
 */
import { App, Chart, Duration } from 'cdk8s';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { parse } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type Deployment } from '../../../src/facts/api/types/apps/v1';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { metricsOf, parsePromql } from '../../../src/facts/promql';
import { Metrics } from '../../../src/runtime/kubernetes/metrics';
import {
  GantryScheduler,
  type GantrySchedulerProps,
  SCHEDULER_ALERTS,
  SchedulerImage,
} from '../../../src/constructs/scheduler';
import { Job } from '../../../src/constructs/batch';
import { LocalQueue } from '../../../src/constructs/kueue';
import { Queue } from '../../../src/constructs/volcano';
import { Accelerator } from '../../../src/constructs/pods';
import { clusterRules, namespaceRules } from '../../../src/constructs/scheduler/permissions';
import { programOf } from '../../../src/constructs/bundled/program';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { Testing } from '../../../src/interfaces/testing';

function manifests(props?: GantrySchedulerProps): readonly JsonObject[] {
  const app = new App();
  new GantryScheduler(new Chart(app, 'chart'), 'scheduler', props);
  return Testing.synth(app);
}

function only(objects: readonly JsonObject[], kind: string): JsonObject {
  const found = objects.filter((object) => object.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
}

const schedulerOf = (props?: GantrySchedulerProps): GantryScheduler =>
  new GantryScheduler(new Chart(new App(), 'chart'), 'scheduler', props);

test('nothing is found wrong with any of its objects, in the order in which they are to be applied', () => {
  const objects = manifests();
  const kinds = objects.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(
    new Set([
      'Namespace',
      'ServiceAccount',
      'ConfigMap',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'ServiceMonitor',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'PrometheusRule',
    ]),
  );
  const namespaced = objects.findIndex(({ metadata }) => asObject(metadata).namespace !== undefined);
  expect(kinds.indexOf('Namespace')).toBeLessThan(namespaced);
  expect(kinds.indexOf('Deployment')).toBeGreaterThan(kinds.indexOf('ClusterRoleBinding'));
});

/** The files of the volume with the program, in the order in which the pod names its ConfigMaps. */
function programFiles(objects: readonly JsonObject[]): ReadonlyMap<string, Buffer> {
  const { spec } = only(objects, 'Deployment') as unknown as Deployment;
  const sources = spec?.template.spec?.volumes?.find(({ name }) => name === 'program')?.projected?.sources ?? [];
  return new Map(
    sources.flatMap(({ configMap }) => {
      const found = objects.find(
        ({ kind, metadata }) => kind === 'ConfigMap' && asObject(metadata).name === configMap?.name,
      );
      expect(found).toBeDefined();
      return [
        ...Object.entries(asObject(found?.data)).map(([key, text]) => [key, Buffer.from(text as string)] as const),
        ...Object.entries(asObject(found?.binaryData)).map(
          ([key, text]) => [key, Buffer.from(text as string, 'base64')] as const,
        ),
      ];
    }),
  );
}

test('the program lies in immutable ConfigMaps that are named for its content', () => {
  const objects = manifests();
  const parts = objects.filter(({ immutable }) => immutable === true);
  const names = parts.map(({ metadata }) => asString(asObject(metadata).name) ?? '');
  const hash = /^gantry-scheduler-program-([0-9a-f]{10})-1$/.exec(names[0])?.[1];
  expect(hash).toBeDefined();
  expect(names).toEqual(parts.map((_, index) => `gantry-scheduler-program-${hash}-${index + 1}`));
  for (const part of parts) {
    // `kubectl apply` keeps a copy in an annotation, which is smaller than the mebibyte of a ConfigMap.
    expect(JSON.stringify(part).length).toBeLessThan(256 * 1024);
  }
  const [start, ...compressed] = programFiles(objects).values();
  expect(start.toString()).toContain('brotliDecompressSync');
  expect(brotliDecompressSync(Buffer.concat(compressed)).toString()).toContain('gantry-scheduler [flags]');
});

test.each([
  [10_000, 1],
  [190_464, 1],
  [190_465, 2],
  [400_000, 3],
])('a program of %d compressed bytes needs %d ConfigMaps', (bytes, count) => {
  const compressed = randomBytes(bytes);
  const { parts } = programOf('scheduler', compressed);
  expect(parts.map(({ key }) => key)).toEqual(
    Array.from({ length: count }, (_, index) => `scheduler.js.br.${index + 1}`),
  );
  expect(Buffer.concat(parts.map(({ content }) => Buffer.from(content, 'base64'))).equals(compressed)).toBe(true);
});

test('a program of several parts starts, and its name changes with each part', () => {
  const source = (text: string): string =>
    `console.log(${JSON.stringify(text)}); // ${randomBytes(300_000).toString('base64')}`;
  const { parts, start, hash } = programOf('scheduler', brotliCompressSync(source('started')));
  expect(parts).toHaveLength(2);
  expect(programOf('scheduler', brotliCompressSync(source('started'))).hash).not.toBe(hash);
  const folder = mkdtempSync(join(tmpdir(), 'gantry-parts-'));
  writeFileSync(join(folder, 'start.cjs'), start);
  parts.forEach(({ key, content }) => writeFileSync(join(folder, key), Buffer.from(content, 'base64')));
  expect(spawnSync(process.execPath, [join(folder, 'start.cjs')], { encoding: 'utf8' }).stdout).toBe('started\n');
  rmSync(folder, { recursive: true });
});

test('the program starts from the volume as a kubelet mounts it: links to a folder whose name changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-program-'));
  mkdirSync(join(folder, '..2026'));
  symlinkSync('..2026', join(folder, '..data'));
  for (const [name, content] of programFiles(manifests())) {
    writeFileSync(join(folder, '..2026', name), content);
    symlinkSync(join('..data', name), join(folder, name));
  }
  const run = (...args: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [join(folder, 'start.cjs'), ...args], { encoding: 'utf8' });
  expect(run('--help').stdout).toContain('gantry-scheduler [flags]');
  expect(run('--kubeconfig', join(folder, 'none'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`kubeconfig ${join(folder, 'none')} cannot be read: ENOENT`) as string,
  });
  writeFileSync(join(folder, 'broken'), 'clusters: [\nusers: }');
  expect(run('--kubeconfig', join(folder, 'broken'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`kubeconfig ${join(folder, 'broken')} cannot be read: `) as string,
  });
  rmSync(folder, { recursive: true });
});

test('its pods are as PodSecurity "restricted" wants them', () => {
  const { spec } = only(manifests(), 'Deployment') as unknown as Deployment;
  const pod = spec?.template.spec;
  expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(pod?.containers[0]?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

test('a single replica needs no disruption budget, and the lease all the same: while it is replaced there are two', () => {
  const objects = manifests({ replicas: 1 });
  expect(objects.some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(false);
  expect(JSON.stringify(only(objects, 'Deployment'))).not.toContain('--no-leader-election');
});

test('an image that has the program needs no ConfigMap for it', () => {
  const objects = manifests({
    image: SchedulerImage.prebuilt('registry.example.com/gantry-scheduler:1.0.0'),
    history: false,
  });
  expect(objects.filter(({ kind }) => kind === 'ConfigMap')).toHaveLength(1);
});

test('a digest pins the stock image, and what is no digest is refused', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  expect(SchedulerImage.node({ digest }).reference).toMatch(new RegExp(`^node:.*@${digest}$`));
  expect(() => SchedulerImage.node({ digest: 'latest' })).toThrow(
    'digest "latest": must be sha256: and 64 hexadecimal digits',
  );
});

test('queues of the configuration can be referred to, others cannot', () => {
  const scheduler = schedulerOf({
    queues: [{ name: 'research', deserved: { accelerators: Accelerator.nvidia({ count: 64 }) } }],
  });
  expect(scheduler.queue('research')).toEqual({ engine: 'gantry', name: 'research' });
  expect(() => scheduler.queue('reserch')).toThrow('unknown queue "reserch" (the configuration has research)');
});

test('a queue carries the name that its scheduler listens to', () => {
  const scheduler = schedulerOf({ schedulerName: 'gantry-2', queues: [{ name: 'research' }] });
  const chart = new Chart(new App(), 'jobs');
  new Job(chart, 'train', { image: 'x' }).submitTo(scheduler.queue('research'));
  expect(chart.toJson()).toMatchObject([{ spec: { template: { spec: { schedulerName: 'gantry-2' } } } }]);
});

test('a Queue of Volcano is a queue of the scheduler, and is written before its workloads', () => {
  const app = new App();
  const chart = new Chart(app, 'jobs');
  const scheduler = new GantryScheduler(new Chart(app, 'system'), 'scheduler');
  const job = new Job(chart, 'a-train', { image: 'x' });
  job.submitTo(scheduler.queue(new Queue(chart, 'z-vision')));
  expect(chart.toJson()).toMatchObject([
    { kind: 'Queue' },
    { kind: 'Job', metadata: { labels: { 'gantry.dev/queue': 'z-vision' } } },
  ]);
  // @ts-expect-error a queue of Kueue is not read by Gantry's scheduler
  expect(() => scheduler.queue(LocalQueue.fromName('team'))).toThrow(
    'queue: must be a Volcano queue, got the Kueue LocalQueue "team"',
  );
});

test('the history has empty ConfigMaps, and the right to write these alone', () => {
  const historyOf = (objects: readonly JsonObject[]): readonly (string | undefined)[] =>
    objects
      .filter(
        ({ kind, metadata }) => kind === 'ConfigMap' && 'gantry.dev/history' in asObject(asObject(metadata).labels),
      )
      .map(({ metadata, data, binaryData }) => {
        expect([data, binaryData]).toEqual([undefined, undefined]);
        return asString(asObject(metadata).name);
      });
  const rightsOf = (objects: readonly JsonObject[]): readonly JsonObject[] =>
    asArray(only(objects, 'Role').rules)
      .map(asObject)
      .filter(({ resources }) => asArray(resources).includes('configmaps'));
  const objects = manifests({ history: { configMaps: 2 } });
  const names = ['gantry-scheduler-history-0', 'gantry-scheduler-history-1'];
  expect(historyOf(objects)).toEqual(names);
  expect(rightsOf(objects)).toEqual([
    { apiGroups: [''], resources: ['configmaps'], resourceNames: names, verbs: ['get', 'update'] },
  ]);
  expect(historyOf(manifests())).toHaveLength(8);
  expect(historyOf(manifests({ history: false }))).toEqual([]);
  expect(rightsOf(manifests({ history: false }))).toEqual([]);
  expect(() => schedulerOf({ history: { configMaps: 65 } })).toThrow('a whole number from 0 to 64, not 65');
});

test('a configuration that the program would refuse is refused, with every fault', () => {
  const queues = [
    { name: 'a', weight: -1 },
    { name: 'b', weight: -2 },
  ];
  expect(() => schedulerOf({ queues })).toThrow(
    /queues\[0\]\.weight must be .*, not -1[\s\S]*queues\[1\]\.weight must be .*, not -2/,
  );
});

test('without a Prometheus operator, and with an open network, those objects are not made', () => {
  const kinds = manifests({ monitoring: false, allowedFrom: false }).map(({ kind }) => kind);
  expect(kinds).not.toContain('ServiceMonitor');
  expect(kinds).not.toContain('NetworkPolicy');
});

test('alerts ask for metrics that the program exports', () => {
  const exported = new Set(
    new Metrics().registry
      .getMetricsAsArray()
      .flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  );
  for (const { expr } of SCHEDULER_ALERTS) {
    const { expression, problems } = parsePromql(expr);
    expect(problems).toEqual([]);
    const names = expression === undefined ? [] : metricsOf(expression);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  }
});

test('each alert points to a heading of the page for operators', () => {
  const page = readFileSync(join(__dirname, '../../../docs/scheduler.md'), 'utf8');
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(
    ([, heading]) => `docs/scheduler.md#${heading.toLowerCase().replaceAll(' ', '-')}`,
  );
  expect(
    SCHEDULER_ALERTS.map(({ annotations }) => annotations?.runbook?.split(', ')[1]).filter(
      (link) => !headings.includes(link ?? ''),
    ),
  ).toEqual([]);
});

test('it may do nothing with secrets, and writes nothing but bindings, evictions, gates, states, claims, and events', () => {
  const rules = asArray(only(manifests(), 'ClusterRole').rules).map(asObject);
  const writes = rules.filter(({ verbs }) =>
    asArray(verbs).some((verb) => !['get', 'list', 'watch'].includes(asString(verb) ?? '')),
  );
  expect(writes.flatMap(({ resources }) => asArray(resources)).sort()).toEqual(
    [
      'events',
      'pods',
      'pods/binding',
      'pods/eviction',
      'pods/status',
      'podgroups',
      'podgroups/status',
      'resourceclaims',
      'resourceclaims/binding',
      'resourceclaims/status',
      'subjectaccessreviews',
      'tokenreviews',
    ].sort(),
  );
  expect(JSON.stringify(rules)).not.toContain('secrets');
});

test('it may patch nodes only if its policy lets it change MIG configurations', () => {
  const onNodes = (props: GantrySchedulerProps): readonly string[] =>
    asArray(only(manifests(props), 'ClusterRole').rules)
      .map(asObject)
      .filter(({ resources }) => asArray(resources).includes('nodes'))
      .flatMap(({ verbs }) => asArray(verbs).map((verb) => asString(verb) ?? ''));
  expect(onNodes({})).toEqual(['list', 'watch']);
  expect(onNodes({ policy: { repartitionLimit: 0 } })).toEqual(['list', 'watch']);
  expect(onNodes({ policy: { repartitionLimit: 1 } })).toEqual(['list', 'watch', 'patch']);
});

test('a policy narrows the patch of nodes to the MIG configuration', () => {
  const names = (props: GantrySchedulerProps): readonly string[] =>
    manifests(props)
      .filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding')
      .map(({ spec }) => asString(asObject(spec).policyName) ?? '')
      .sort();
  const claims = 'gantry-scheduler-claims';
  const fields = [claims, 'gantry-scheduler-fields', 'gantry-scheduler-fields-nodes'];
  expect(names({})).toEqual(fields);
  expect(names({ policy: { repartitionLimit: 1 } })).toEqual([...fields, 'gantry-scheduler-mig-configs']);
  expect(names({ policy: { repartitionLimit: 1 }, fieldGuard: false })).toEqual([
    claims,
    'gantry-scheduler-mig-configs',
  ]);
});

test('the page for operators lists each right, and no other', () => {
  const page = readFileSync(join(__dirname, '../../../docs/scheduler.md'), 'utf8');
  const [table] = page.slice(page.indexOf('| what | verbs | why |')).split('\n\n');
  const listed = table
    .split('\n')
    .slice(2)
    .flatMap((row) => {
      const [, what, verbs] = row.split('|').map((cell) => cell.trim());
      return [...what.matchAll(/`([^`]+)`/g)].flatMap(([, resource]) =>
        verbs.split(', ').map((verb) => `${verb} ${resource}`),
      );
    });
  const rules = [...clusterRules(true), ...namespaceRules('gantry-scheduler', ['gantry-scheduler-history-0'])];
  const granted = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}${group === '' ? '' : `.${group}`}`)),
    ),
  );
  expect([...listed].sort()).toEqual([...granted].sort());
});

test('every member of the configuration has a prop', () => {
  const tuning = {
    binding: { inFlight: 8 },
    handOver: { timeout: Duration.seconds(9) },
    eviction: { retry: Duration.seconds(10) },
    repartition: { timeout: Duration.minutes(30), interval: Duration.minutes(5) },
    cycle: { period: Duration.seconds(11), debounce: Duration.millis(30) },
    explain: { repeat: Duration.minutes(12) },
    log: { level: 'debug' },
  } as const;
  const props = {
    schedulerName: 'other',
    defaultQueue: 'rest',
    queues: [{ name: 'rest' }],
    topologies: [{ name: 'racks', levels: ['example.com/rack'] }],
    policy: { staleGang: Duration.seconds(5) },
    history: { configMaps: 2, interval: Duration.minutes(2) },
    enqueueVolcanoPodGroups: true,
    tuning,
  };
  const written =
    manifests(props).find(({ kind, data }) => kind === 'ConfigMap' && asObject(data)['scheduler.yaml'] !== undefined) ??
    {};
  const value = parse(asString(asObject(written.data)['scheduler.yaml']) ?? '') as object;
  expect(Object.keys(value).sort()).toEqual(Object.keys(DEFAULT_CONFIGURATION).sort());
  expect(value).toMatchObject({
    policy: { staleGangSeconds: 5 },
    handOver: { timeoutSeconds: 9 },
    eviction: { retrySeconds: 10 },
    cycle: { periodSeconds: 11, debounceMilliseconds: 30 },
    explain: { repeatSeconds: 720 },
    history: { configMaps: 2, intervalSeconds: 120 },
  });
});
