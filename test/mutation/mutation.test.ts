import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { ImportGraph } from './imports';
import { instrumented, IS_ACTIVE } from './instrument';
import { type Mutant, mutantsOf, sampled } from './mutants';
import { processorSeconds } from './processor-time';
import { ordersFor, type SuiteRecord } from './suites';

const CODE = `
interface Limits { readonly max: 3 }
const KINDS = ['Job', 'CronJob'];
export function verdict(count: number, kind: string, notes?: { text: string }): string[] {
  const found: string[] = [];
  if (count > 32 && KINDS.includes(kind)) {
    found.push(\`too many: \${count}\`);
  }
  for (const other of KINDS.filter((name) => name !== kind).slice(0, 1)) {
    found.push(other);
  }
  return notes?.text.trim() === 'none' ? [] : found;
}
`;

const mutants = mutantsOf('code.ts', CODE);

/** Runs the function with one mutant active. */
function verdictWith(mutant: Mutant | undefined, ...args: readonly unknown[]): unknown {
  const code = ts.transpile(instrumented(CODE, mutants), {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
  });
  const exports: { verdict?: (...input: readonly unknown[]) => unknown } = {};
  runInNewContext(code, { exports, [IS_ACTIVE]: (id: number) => id === mutant?.id });
  return exports.verdict!(...args);
}

function mutant(operator: string, code: string, text: string): Mutant {
  const found = mutants.filter((one) => one.operator === operator && one.code === code && one.text === text);
  expect(found).toHaveLength(1);
  return found[0];
}

describe('the instrumented code', () => {
  test('does what the code does where no mutant is active', () => {
    expect(verdictWith(undefined, 33, 'Job')).toEqual(['too many: 33', 'CronJob']);
    expect(verdictWith(undefined, 32, 'Job', { text: ' none ' })).toEqual([]);
  });

  test.each([
    ['comparison', 'count > 32', '(count) >= (32)', [32, 'Job'], ['too many: 32', 'CronJob']],
    ['number', '32', '32 + 1', [33, 'Job'], ['CronJob']],
    [
      'logical operator',
      'count > 32 && KINDS.includes(kind)',
      '(count > 32) || (KINDS.includes(kind))',
      [33, 'Pod'],
      ['too many: 33', 'Job'],
    ],
    ['string', "'CronJob'", '""', [1, 'Job'], ['']],
    ['list', "['Job', 'CronJob']", '[]', [1, 'Job'], []],
    ['statement', 'found.push(other);', '', [33, 'Job'], ['too many: 33']],
    ['method', 'KINDS.filter((name) => name !== kind)', 'KINDS', [1, 'Job'], ['Job']],
    ['condition', 'count > 32 && KINDS.includes(kind)', 'true', [1, 'Job'], ['too many: 1', 'CronJob']],
  ] as const)('changes one thing where a mutant is active: %s of %s', (operator, code, text, args, expected) => {
    expect(verdictWith(mutant(operator, code, text), ...args)).toEqual(expected);
  });

  test('every mutant is code that runs', () => {
    for (const one of mutants) {
      expect(() => {
        try {
          verdictWith(one, 33, 'Job');
        } catch (error) {
          if (String(error).startsWith('SyntaxError')) {
            throw error;
          }
        }
      }).not.toThrow();
    }
  });
});

test('types and messages are left alone', () => {
  expect(mutants.filter(({ line }) => line === 2)).toEqual([]);
  expect(mutants.filter(({ code }) => code.startsWith('`'))).toEqual([]);
});

test('what a finding says in words is left alone, and where it says it is not', () => {
  const code =
    'say(count > 1 ? a : b, count > 2 ? c : d, { expected: count > 3 ? e : f, severity: count > 4 ? g : h });';
  const changed = mutantsOf('code.ts', code).filter(({ operator }) => operator === 'comparison');
  expect([...new Set(changed.map((one) => one.code))]).toEqual(['count > 1', 'count > 4']);
});

test('what is inside a chain of ?. is left alone, or the chain would end there', () => {
  expect(mutants.filter(({ code }) => code === 'notes?.text')).toEqual([]);
});

test('the same seed draws the same mutants, and another one others', () => {
  const ids = (seed: number): readonly number[] => sampled(mutants, 5, seed).map(({ id }) => id);
  expect(ids(1)).toEqual(ids(1));
  expect(ids(1)).not.toEqual(ids(2));
  expect(sampled(mutants, 1000, 1)).toHaveLength(mutants.length);
});

test('a mutant is shown to the suites that met it, the nearest first, and to the tests that met it', () => {
  const one: Mutant = { ...mutants[0], id: 7, file: 'src/checks/server/pods/mounts.ts' };
  const records: readonly SuiteRecord[] = [
    { suite: 'test/examples/gpu.test.ts', seconds: 1, hits: { outside: [7], byTest: { a: [7] } } },
    { suite: 'test/checks/server/pods.test.ts', seconds: 5, hits: { outside: [], byTest: { a: [7], b: [8] } } },
    { suite: 'test/checks/report/text.test.ts', seconds: 1, hits: { outside: [8], byTest: {} } },
  ];
  expect(ordersFor(one, records)).toEqual([
    { mutant: 7, suite: 'test/checks/server/pods.test.ts', seconds: 5, tests: ['a'] },
    { mutant: 7, suite: 'test/examples/gpu.test.ts', seconds: 1, tests: 'all' },
  ]);
});

describe('the imports of a suite', () => {
  const loaded = new ImportGraph().closureOf('test/runtime/api/leader.test.ts');

  it('lead to what it imports, and to what that imports', () => {
    expect(loaded).toContain('src/runtime/api/leader.ts');
    expect(loaded).toContain('src/runtime/api/backoff.ts');
    expect(loaded).toContain('test/runtime/fake-server.ts');
  });

  it('do not lead to the rest', () => {
    expect([...loaded].filter((file) => file.startsWith('src/constructs/'))).toEqual([]);
  });

  it('lead anywhere where the suite computes them', () => {
    const rules = new Set(['src/constructs/ray/rules/jobs.ts']);
    expect(new ImportGraph().mayLoad('test/interfaces/checks/recorded/findings.test.ts', rules)).toBe(true);
    expect(new ImportGraph().mayLoad('test/constructs/ray/rules.test.ts', rules)).toBe(true);
    expect(new ImportGraph().mayLoad('test/constructs/kueue/rules.test.ts', rules)).toBe(false);
  });

  it('lead to entry points by their names', () => {
    expect(new ImportGraph().closureOf('examples/devices/main.ts')).toContain('src/index.ts');
  });
});

it('counts processor time, not time that passes', async () => {
  const before = processorSeconds(process.pid);
  await new Promise((done) => setTimeout(done, 50));
  const rested = processorSeconds(process.pid) - before;
  for (const end = process.cpuUsage().user + 100_000; process.cpuUsage().user < end;) {
    Math.sqrt(2);
  }
  expect(processorSeconds(process.pid) - before).toBeGreaterThan(rested + 0.05);
});
