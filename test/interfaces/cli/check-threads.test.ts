/**
 * Several threads report what one reports, byte for byte: on the corpus, and on changed manifests with everything that reports contain.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { check, type CheckOptions } from '../../../src/checks/engine';
import { checkPart, reportOfParts } from '../../../src/checks/parts';
import { renderJson } from '../../../src/checks/report/json';
import { renderText } from '../../../src/checks/report/text';
import { type JsonObject } from '../../../src/facts/api/schema';
import { ObjectNames } from '../../../src/facts/spelling';
import { Answers, type Question } from '../../../src/interfaces/cli/check/threads/answers';
import {
  CheckThreads,
  startThread,
  type Thread,
  threadCount,
} from '../../../src/interfaces/cli/check/threads/check-threads';
import { bytesOf, sourcesOf } from '../../../src/interfaces/cli/check/threads/portable-sources';
import { findFiles } from '../../../src/interfaces/checks/find-files';
import { readManifestFiles, readManifests } from '../../../src/interfaces/checks';
import { type Manifest } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { changedManifest, ODD_VALUES, valuesByField } from '../../support/changed-manifests';
import { Random } from '../../support/random';
import { samples } from '../../support/samples';
import { Workplace } from './fake-terminal';

const CORPUS = join(__dirname, '../../e2e/corpus');
const corpusFiles = readdirSync(CORPUS).filter((file) => file.endsWith('.yaml'));
const corpus = corpusFiles.flatMap((file) =>
  parseYaml(readFileSync(join(CORPUS, file), 'utf8'), file).manifests.map(({ object }) => object),
);

/** A thread in this one: what it is asked and answers is copied, as between threads. */
function loopback(): Thread {
  const answers = new Answers();
  return {
    ask: (name, question) => {
      const said = structuredClone(answers.answerTo(structuredClone({ name, question } as Question)));
      return 'answer' in said
        ? Promise.resolve(said.answer as never)
        : Promise.reject(new Error(said.failure.stack ?? said.failure.message));
    },
    end: () => undefined,
  };
}

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

async function inThreads(count: number, options: CheckOptions = {}): Promise<readonly string[]> {
  const found = findFiles(['.'], place.folder);
  const given = { manifests: [], problems: [], skipped: found.skipped };
  const threads = new CheckThreads(count, loopback);
  const report = await threads.check({ given, files: found.files, cwd: place.folder }, options);
  return [renderJson(report), renderText(report, { color: false })];
}

async function expectSame(options: CheckOptions = {}, counts: readonly number[] = [1, 2, 3]): Promise<number> {
  const report = check(readManifestFiles('.', { cwd: place.folder }), options);
  const expected = [renderJson(report), renderText(report, { color: false })];
  for (const count of counts) {
    expect(await inThreads(count, options)).toEqual(expected);
  }
  return report.findings.length;
}

test('on the corpus', async () => {
  for (const file of corpusFiles) {
    place.write(file, readFileSync(join(CORPUS, file), 'utf8'));
  }
  expect(await expectSame()).toBeGreaterThan(50);
  await expectSame({ tiers: ['schema', 'server'], kubernetes: '1.36', groups: ['hygiene'] }, [3]);
  // Suppressed findings are listed in the order in which they are found.
  const { findings } = check(readManifestFiles('.', { cwd: place.folder }));
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  await expectSame({ ignore: rules.map((rule) => ({ rule, reason: 'on purpose' })) }, [2]);
});

test('places come from the thread that read the file', async () => {
  for (const file of corpusFiles) {
    place.write(file, readFileSync(join(CORPUS, file), 'utf8'));
  }
  const expected = renderJson(check(readManifestFiles('.', { cwd: place.folder })));
  let asked = 0;
  const forgetful = (): Thread => {
    const { ask, end } = loopback();
    return {
      ask: async (name, question) => {
        const answer = await ask(name, question);
        if (name === 'locate') {
          asked += (question as readonly object[]).length;
          place.remove();
        }
        return answer;
      },
      end,
    };
  };
  const { files, skipped } = findFiles(['.'], place.folder);
  const given = { manifests: [], problems: [], skipped };
  const report = await new CheckThreads(2, forgetful).check({ given, files, cwd: place.folder }, {});
  expect(renderJson(report)).toEqual(expected);
  expect(asked).toBeGreaterThan(0);
});

/** A changed object of the corpus in a form that files have. */
function written(object: JsonObject, random: Random): string {
  const text = JSON.stringify(object, undefined, 1);
  return random.pick([
    text,
    text,
    text,
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [object, object] }),
    text.replace(
      /"name": "[^"]*"/,
      '"name": "same", "annotations": {"gantry.dev/ignore": "core/object-once: on purpose"}',
    ),
    text.replace(/: \d+/, ': 1e999'),
    text.replace(/: \d+/, ': -0'),
    text.replace(/: \d+/, ': 9007199254740993'),
    text.replace(/"(kind|apiVersion)": /, '"__proto__": {"a": 1}, "$1": '),
    text.slice(0, -20),
  ]);
}

test('on sets of changed manifests', async () => {
  const random = new Random(28112026);
  const vocabulary = { fields: valuesByField(corpus), values: ODD_VALUES };
  const names = [...vocabulary.fields.keys()];
  for (let run = 0; run < samples(24); run++) {
    const folders = Array.from({ length: 1 + random.below(3) }, (_, index) => (index === 0 ? '.' : `part-${index}`));
    for (let file = 0; file < 6; file++) {
      const texts = Array.from({ length: 1 + random.below(8) }, () =>
        written(changedManifest(random.pick(corpus), 4, { ...vocabulary, names }, random), random),
      );
      place.write(join(random.pick(folders), `${file}.yaml`), texts.join('\n---\n'));
    }
    await expectSame({
      crds: random.chance(0.3) ? crds(random) : [],
      ignore: random.chance(0.5) ? [{ rule: 'core/object-once', reason: 'on purpose' }] : [],
      severities: random.chance(0.5) ? new Map([['schema/type', 'warning']]) : undefined,
    });
    place.remove();
  }
}, 120_000);

function crds(random: Random): readonly JsonObject[] {
  const definitions = corpus.filter(({ kind }) => kind === 'CustomResourceDefinition');
  return definitions.length === 0 ? [] : [random.pick(definitions)];
}

test('with more findings of a rule than are listed, of objects that several threads have', async () => {
  const env = Array.from({ length: 130 }, (_, index) => `{name: "a ${index}", value: 1}`).join(', ');
  const pod = (name: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: a}\nspec: {containers: [{name: main, image: a, env: [${env}], envFrom: [{secretRef: {name: gone}}]}]}\n`;
  for (const name of ['a', 'b', 'c', 'd']) {
    place.write(`${name}.yaml`, pod(name));
  }
  expect(await expectSame()).toBeGreaterThan(400);
});

test('with an object that is not there, which others name several times', async () => {
  const request = (name: string): string => `{name: ${name}, exactly: {deviceClassName: gone}}`;
  for (const name of ['a', 'b', 'c']) {
    place.write(
      `${name}.yaml`,
      `apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: ${name}, namespace: n}\nspec: {devices: {requests: [${request('x')}, ${request('y')}]}}\n`,
    );
  }
  expect(await expectSame()).toBe(9);
});

test('with definitions in the files of another thread', async () => {
  const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}]
`;
  place.write('z.yaml', crd);
  for (const name of ['a', 'b', 'c']) {
    place.write(
      `${name}.yaml`,
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: {size: big}\n`,
    );
  }
  expect(await expectSame()).toBe(3);
});

test('a rule that fails is reported once for each object, or once for the whole set', () => {
  const texts = ['a', 'b', 'c'].map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`);
  texts.forEach((text, index) => place.write(`${index}.yaml`, text));
  const rule = { id: 'a/fails', tier: 'advice', severity: 'error', summary: '', why: '', source: '', fix: '' } as const;
  const fail = (): never => {
    throw new Error('broken');
  };
  const set = readManifestFiles('.', { cwd: place.folder });
  const options: CheckOptions = {
    rules: [
      { ...rule, on: 'object', kinds: ['*'], check: fail },
      { ...rule, on: 'set', check: fail },
    ],
  };
  const { notChecked } = check(set, options);
  expect(notChecked).toHaveLength(4);
  const parts = [0, 1, 2].map((part) =>
    checkPart(set, options, { from: part, to: part + 1, runsSetRules: part === 0 }, true),
  );
  expect(reportOfParts(set, options, structuredClone(parts))).toEqual(check(set, options));
});

test('numbers that JSON does not have are the same in another thread', () => {
  const set = readManifests(
    'apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {a: 1e999, b: -0.0, c: [-1e999, null]}\n',
  );
  const [{ object }] = sourcesOf(bytesOf(set)).manifests;
  expect(object).toEqual(set.manifests[0].object);
  expect(Object.is((object.spec as JsonObject).b, (set.manifests[0].object.spec as JsonObject).b)).toBe(true);
});

test('objects of a kind are made of what another thread sent when the first of them is asked for', () => {
  const object = (kind: string, name: string): string => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n`;
  const texts = [object('Pod', 'a'), object('Service', 'b'), object('Pod', 'c')];
  const bytes = bytesOf(readManifests(texts.join('---\n')));
  const deserialize = jest.spyOn(v8, 'deserialize');
  try {
    const { manifests } = sourcesOf(bytes);
    expect(manifests.map(({ id: { kind, name } }) => `${kind} ${name}`)).toEqual(['Pod a', 'Service b', 'Pod c']);
    expect(deserialize).toHaveBeenCalledTimes(1);
    expect(manifests[2].object).toMatchObject({ kind: 'Pod', metadata: { name: 'c' } });
    expect(manifests[0].object).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
    expect(deserialize).toHaveBeenCalledTimes(2);
    expect({ ...manifests[1] }.object).toMatchObject({ kind: 'Service', metadata: { name: 'b' } });
    expect(deserialize).toHaveBeenCalledTimes(3);
  } finally {
    deserialize.mockRestore();
  }
});

test('schemas and pods of a part are checked without the workloads of the others', () => {
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\nspec: {containers: 1}\n';
  const [own] = readManifests(pod).manifests;
  const other: Manifest = {
    id: { ...own.id, namespace: 'y' },
    origin: {},
    get object(): never {
      throw new Error('it was read');
    },
  };
  const options: CheckOptions = { tiers: ['schema', 'cel', 'server'] };
  const part = checkPart(new ManifestSet([own, other]), options, { from: 0, to: 1, runsSetRules: false }, true);
  expect(part.shapes).toHaveLength(1);
  expect([part.objects, part.templates].flat().filter(({ what }) => what === 'failure')).toEqual([]);
});

test('where one check might have ended its search for near names, no report is made of parts', () => {
  const set = new ManifestSet([]);
  const part = { suppressing: [], shapes: [], objects: [], templates: [], sets: [] };
  const half = ObjectNames.MOST_WORK / 2;
  expect(
    reportOfParts(set, {}, [
      { ...part, searching: half },
      { ...part, searching: half },
    ]),
  ).toBeUndefined();
  expect(
    reportOfParts(set, {}, [
      { ...part, searching: half },
      { ...part, searching: half - 1 },
    ]),
  ).toBeDefined();
});

test('the work of a search for near names is noted', () => {
  ObjectNames.mostWork = 0;
  new ObjectNames(['training', 'trainer']).nearest('trainin');
  expect(ObjectNames.mostWork).toBeGreaterThan(7 * 7);
});

describe('a thread that', () => {
  const thread = (program: string): Thread => {
    const file = join(place.folder, 'program.js');
    writeFileSync(file, program);
    return startThread(file);
  };
  const onMessage = (body: string): string =>
    `const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => { ${body} });`;

  test.each([
    [
      'ends',
      onMessage('process.exit(3)'),
      /^a thread of the check exited before it finished \(exit status 3\); run the check with --jobs 1/,
    ],
    ['cannot start', 'throw new Error("out of paper")', /exited before it finished \(out of paper\)/],
    ['throws', onMessage('throw new Error("lost")'), /exited before it finished \(lost\)/],
    ['fails', onMessage('parentPort.postMessage({ failure: { isInput: false, message: "a bug" } })'), /^a bug$/],
  ])('%s is an error, and no wait', async (_, program, message) => {
    const started = thread(program);
    await expect(started.ask('locate', [])).rejects.toThrow(message);
    started.end();
  });

  test('waits for its next question keeps no process alive, and one that is asked does', () => {
    const file = join(place.folder, 'program.js');
    writeFileSync(file, onMessage("setTimeout(() => parentPort.postMessage({ answer: ['found'] }), 300);"));
    const threads = require.resolve('../../../lib/interfaces/cli/check/threads/check-threads.js');
    const program = `const { startThread } = require(${JSON.stringify(threads)});
      startThread(${JSON.stringify(file)});
      startThread(${JSON.stringify(file)}).ask('locate', []).then(console.log);`;
    const { stdout, status } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 60_000 });
    expect([stdout, status]).toEqual(["[ 'found' ]\n", 0]);
  });

  test('ended before it is asked is an error as well', async () => {
    const started = thread('process.exit(0)');
    await expect(started.ask('locate', [])).rejects.toThrow('exit status 0');
    await expect(started.ask('locate', [])).rejects.toThrow('exit status 0');
  });
});

test('standard input, and a single file, are read by one thread', () => {
  const file = { inFolder: false, kustomized: false };
  place.write('a.yaml', '');
  expect(threadCount([{ ...file, path: 'a.yaml' }], place.folder, 4)).toBe(1);
  expect(
    threadCount(
      [
        { ...file, path: 'a.yaml' },
        { ...file, path: '-' },
      ],
      place.folder,
      4,
    ),
  ).toBe(1);
});
