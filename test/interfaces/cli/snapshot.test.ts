import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { SNAPSHOT_COLLECTIONS } from '../../../src/manifests/snapshot/collections';
import { SNAPSHOT_VERSION } from '../../../src/manifests/snapshot/cluster-snapshot';
import { HttpServer } from '../../support/http-server';
import { put, snapshotServer } from '../../support/snapshot-world';
import { Workplace } from './fake-terminal';

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: research}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: example.com/train:1
          resources: {limits: {nvidia.com/gpu: 8}}
`;

function node(name: string): JsonObject {
  return {
    metadata: { name },
    status: { allocatable: { cpu: '96', memory: '1Ti', pods: '110', 'nvidia.com/gpu': '8' } },
  };
}

describe('gantry snapshot', () => {
  const place = new Workplace();
  let server: HttpServer;

  beforeAll(async () => {
    const api = snapshotServer();
    put(api, '', 'nodes', node('gpu-0'), node('gpu-1'));
    put(api, '', 'namespaces', { metadata: { name: 'research' } });
    server = await HttpServer.of(api);
    server.writeKubeconfig(join(place.folder, 'config'), 'team@prod/1');
    place.write('job.yaml', JOB);
  });
  afterAll(async () => {
    await server.stop();
    place.remove();
  });

  const snapshot = (...words: readonly string[]): ReturnType<Workplace['run']> =>
    place.run(['snapshot', '--kubeconfig', join(place.folder, 'config'), ...words]);

  it('writes a file that plan takes', async () => {
    const run = await snapshot('-o', 'prod.gantry.json.gz');
    expect(run).toMatchObject({ status: 0, err: '' });
    expect(run.out).toMatch(/^prod\.gantry\.json\.gz: Kubernetes v1\.34\.2, 2 nodes, 0 pods, 3 objects, \d+ KiB\n$/);

    const plan = await place.run(['plan', 'job.yaml', '--cluster', 'prod.gantry.json.gz', '--format', 'json']);
    expect(plan).toMatchObject({ status: 0, err: '' });
    expect(plan.out).toContain('"cluster": "team@prod/1"');
  });

  it('writes a file that check takes: kinds that the server does not serve are errors', async () => {
    await snapshot('-o', 'api.json');
    const run = await place.run(['check', 'job.yaml', '--cluster', 'api.json']);
    expect(run.status).toBe(1);
    expect(run.out).toContain('the cluster team@prod/1 does not serve Job in apiVersion "batch/v1"');
    const file = await place.run(['check', 'job.yaml', '--cluster', 'sample']);
    expect(file).toMatchObject({ status: 2 });
    expect(file.err).toContain('a check requires a snapshot');
  });

  it('shows on a terminal what it reads, and leaves nothing of that behind', async () => {
    const run = await place.run(
      ['snapshot', '--kubeconfig', join(place.folder, 'config'), '-o', join(place.folder, 'shown.json')],
      { canProgress: true },
    );
    expect(run.status).toBe(0);
    const shown = run.err.split('\r\u001B[K');
    expect(shown).toContain('reading the API groups');
    expect(shown).toContain('writing the snapshot');
    expect(shown.some((text) => /^reading nodes: 2; \d+ objects so far$/.test(text))).toBe(true);
    expect(shown.at(-1)).toBe('');
    expect((await snapshot('-o', 'silent.json')).err).toBe('');
  });

  it('leaves no progress behind where the server does not answer', async () => {
    server.writeKubeconfig(join(place.folder, 'nowhere'), 'nowhere');
    const file = join(place.folder, 'nowhere');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    const run = await place.run(['snapshot', '--kubeconfig', file], { canProgress: true });
    expect(run.status).toBe(2);
    expect(run.err.split('\r\u001B[K').at(-1)?.trim().split('\n')).toHaveLength(1);
  });

  it('names the file for the context', async () => {
    expect((await snapshot()).out).toMatch(/^team-prod-1\.gantry\.json\.gz: /);
  });

  it('writes plain JSON to a file of another name, without the names of the cluster if they are to be replaced', async () => {
    await snapshot('-o', 'plain.json', '--anonymize');
    const text = readFileSync(join(place.folder, 'plain.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ kind: 'ClusterSnapshot', formatVersion: 1, anonymized: true });
    expect(text).not.toMatch(/research|gpu-0|team@prod/);
  });

  it('prints a ClusterRole that lists what the table names, and gets only the ConfigMaps of the table', async () => {
    const { rules } = parse((await place.run(['snapshot', '--cluster-role'])).out) as {
      rules: { verbs: string[]; apiGroups?: string[]; resources?: string[]; resourceNames?: string[] }[];
    };
    const listed = rules
      .filter(({ verbs }) => verbs.join() === 'list')
      .flatMap(({ apiGroups, resources }) => resources!.map((plural) => ({ group: apiGroups![0], plural })));
    expect(listed).toHaveLength(SNAPSHOT_COLLECTIONS.length);
    expect(listed.filter(({ plural }) => /secret|configmap/.test(plural))).toEqual([]);
    expect(rules.find(({ resources }) => resources?.includes('configmaps'))).toMatchObject({ verbs: ['get'] });
    expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).toContain('volcano-scheduler-configmap');
    expect(rules.flatMap(({ verbs }) => verbs).filter((verb) => verb !== 'get' && verb !== 'list')).toEqual([]);
  });

  it.each([
    [['--context', 'other'], 'context "other" not found; contexts are team@prod/1'],
    [['--include-configmap', 'kube-system'], '--include-configmap kube-system: must be NAMESPACE/NAME'],
  ])('one line for %j', async (words, message) => {
    const { status, err } = await snapshot(...words);
    expect(status).toBe(2);
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('invents no context where there is no kubeconfig', async () => {
    const { HOME, KUBECONFIG } = process.env;
    process.env.HOME = place.folder;
    delete process.env.KUBECONFIG;
    try {
      const { status, err } = await place.run(['snapshot', '--context', 'prod']);
      expect([status, err]).toEqual([2, expect.stringContaining('context "prod" not found; contexts are (none)')]);
    } finally {
      Object.assign(process.env, { HOME, ...(KUBECONFIG !== undefined && { KUBECONFIG }) });
    }
  });

  it('one line for a kubeconfig that is none, and for a server that does not answer', async () => {
    place.write('broken', ':\n- {');
    const broken = await place.run(['snapshot', '--kubeconfig', join(place.folder, 'broken')]);
    expect(broken).toMatchObject({ status: 2 });
    expect(broken.err.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['cut.gz', () => readFileSync(join(place.folder, 'prod.gantry.json.gz')).subarray(0, 500), 'incomplete or damaged'],
    [
      'half.json',
      () => Buffer.from('{"anonymized":false,"apiVersion":"gantry.dev/v1","kind":"ClusterSnapshot",'),
      'not valid JSON',
    ],
    [
      'newer.gz',
      () => gzipSync(`{"apiVersion":"gantry.dev/v1","kind":"ClusterSnapshot","formatVersion":${SNAPSHOT_VERSION + 1}}`),
      `format version ${SNAPSHOT_VERSION + 1}, this version of Gantry reads up to ${SNAPSHOT_VERSION}`,
    ],
    [
      'none.gz',
      () => gzipSync('{"apiVersion":"gantry.dev/v1","kind":"ClusterSnapshot","formatVersion":1}'),
      '/takenAt must be',
    ],
    ...(
      [
        ['unset', '', 'formatVersion must be 1, but is not set'],
        ['zero', ',"formatVersion":0', 'formatVersion must be 1, but is 0'],
        ['text', ',"formatVersion":"1"', 'formatVersion must be 1, but is "1"'],
        ['long', `,"formatVersion":"${'x'.repeat(5000)}"`, `but is "${'x'.repeat(80)}…"`],
      ] as const
    ).map(([name, version, message]): [string, () => Buffer, string] => [
      `version-${name}.json`,
      () => Buffer.from(`{"apiVersion":"gantry.dev/v1","kind":"ClusterSnapshot"${version}}`),
      message,
    ]),
  ])('one line for the damaged file %s', async (name, bytes, message) => {
    writeFileSync(join(place.folder, name), bytes());
    const { status, err } = await place.run(['plan', 'job.yaml', '--cluster', name]);
    expect({ status, lines: err.trim().split('\n').length }).toEqual({ status: 2, lines: 1 });
    expect(err).toContain(message);
  });

  it('warns of a snapshot that is older than allowed', async () => {
    await snapshot('-o', 'old.json');
    const file = join(place.folder, 'old.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"takenAt":"[^"]*"/, '"takenAt":"2026-01-01T00:00:00Z"'));
    const run = (...words: readonly string[]): ReturnType<Workplace['run']> =>
      place.run(['plan', 'job.yaml', '--cluster', 'old.json', ...words]);
    expect((await run()).err).toMatch(
      /^gantry: warning: old\.json was taken \d+ days ago \(2026-01-01T00:00:00Z\); take a new/,
    );
    expect((await run('--max-age', '36500d')).err).toBe('');
    expect(await run('--max-age', 'long')).toMatchObject({ status: 2 });
  });
});
