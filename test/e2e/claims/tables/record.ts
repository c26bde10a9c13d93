/**
 * `npm run record:claim-tables`: runs the tables with which Kubernetes tests its allocator of devices, and writes each case, with what the
 * allocator answers, into `test/fixtures/claims/allocator-tables.jsonl`. Needs Go.
 *
 * The tables and the allocators are internal to their module, so a copy of the module runs the recorder.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type JsonValue } from '../../../../src/facts/api/schema';
import { asObject, isObject } from '../../../../src/manifests/read';
import { requiredVersion } from '../../go-program';
import {
  type AllocatorAnswer,
  type AllocatorCase,
  type AllocatorTables,
  TABLES,
} from '../../../runtime/kubernetes/claims/tables';

const MODULE = 'k8s.io/dynamic-resource-allocation';
/** Has the version of the module that the differential asks too. */
const PROGRAM = join(__dirname, '../program');
const MINUTES = 60_000;

type Recorded = Omit<AllocatorCase, 'answer' | 'answerOfAllFeatures'> & {
  readonly answers: Readonly<Record<string, AllocatorAnswer>>;
};

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-allocator-'));
  try {
    const cases = runTables(folder).map(caseOf);
    const tables: AllocatorTables = {
      source: `${MODULE} ${requiredVersion(PROGRAM, MODULE)}, structured/internal/allocatortesting (Apache-2.0)`,
      cases: cases.length,
    };
    mkdirSync(dirname(TABLES), { recursive: true });
    writeFileSync(TABLES, [tables, ...cases].map((one) => `${JSON.stringify(one)}\n`).join(''));
    console.log(`recorded ${cases.length} cases`);
  } finally {
    makeWritable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each case as the recorder saw it. */
function runTables(folder: string): readonly Recorded[] {
  const copy = join(folder, 'module');
  const written = join(folder, 'cases.jsonl');
  cpSync(moduleFolder(), copy, { recursive: true });
  makeWritable(copy);
  copyFileSync(join(__dirname, 'recorder_test.go'), join(copy, 'structured/gantry_recorder_test.go'));
  const { status, stdout, stderr } = spawnSync(
    'go',
    ['test', '-vet=off', '-count=1', '-run', '^TestRecordTables$', './structured'],
    {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      timeout: 30 * MINUTES,
      env: { ...process.env, GOWORK: 'off', GANTRY_TABLES: written },
    },
  );
  if (status !== 0) {
    throw new Error(`the tests of the allocator failed:\n${`${stdout}${stderr}`.split('\n').slice(-20).join('\n')}`);
  }
  return readFileSync(written, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => withoutNothing(JSON.parse(line) as JsonValue) as unknown as Recorded);
}

function moduleFolder(): string {
  const { status, stdout, stderr } = spawnSync('go', ['mod', 'download', '-json', MODULE], {
    cwd: PROGRAM,
    encoding: 'utf8',
    env: { ...process.env, GOWORK: 'off' },
  });
  if (status !== 0) {
    throw new Error(`go mod download ${MODULE} failed: ${stderr || stdout}`);
  }
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

/** The folders of modules are read-only, and so are copies of them. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      makeWritable(join(folder, entry.name));
    }
  }
}

/**
 * The oldest implementation takes the pools in any order, so that only whether it allocates counts.
 *
 * @throws Error where the implementations answer differently
 */
function caseOf({ answers, node, shares = {}, ...rest }: Recorded): AllocatorCase {
  const { all, experimental: answer, incubating, stable } = answers;
  if (answer === undefined || all === undefined) {
    throw new Error(`${rest.name}: no answer was recorded.`);
  }
  const isSame =
    (incubating === undefined || isDeepStrictEqual(incubating, answer)) &&
    (stable === undefined || (stable.error === answer.error && !stable.allocations === !answer.allocations));
  if (!isSame) {
    throw new Error(`${rest.name}: the implementations answer differently: ${JSON.stringify(answers)}`);
  }
  return {
    ...rest,
    ...(Object.keys(shares).length > 0 && { shares }),
    node: { metadata: asObject(node.metadata) },
    answer,
    ...(!isDeepStrictEqual(answer, all) && { answerOfAllFeatures: all }),
  };
}

/** Without the empty fields that Go writes. */
function withoutNothing(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(withoutNothing);
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([key, one]) => one !== null && key !== 'status' && !isEmptyList(one))
          .map(([key, one]) => [key, withoutNothing(one)]),
      )
    : value;
}

/** An empty object can mean something. */
function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

main();
