/**
 * `npm test -- [ARGUMENTS OF JEST]`: compile, format check, lint with type check, and unit tests, in two lanes at the same time.
 *
 * One core is kept busy by the lane without tests, the other by Jest, which then has both. What a step prints appears when it ends, and of a step
 * that passed nothing but its name; Jest prints as it goes. The last line is that of Jest, where it begins with SKIPPED.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface Step {
  readonly name: string;
  /** A program of node_modules and its arguments. */
  readonly command: readonly string[];
  /** Prints as it goes. */
  readonly live?: boolean;
}

interface StepResult {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Each step needs the one before it. */
const testSteps = (args: readonly string[]): readonly Step[] => [
  { name: 'compile', command: ['typescript-7/bin/tsc', '--build', 'tsconfig.json'] },
  { name: 'bundle the programs', command: ['tsx/dist/cli.mjs', 'projen/runtime/bundle.ts'] },
  {
    name: 'unit tests',
    command: ['jest/bin/jest.js', '--config', 'jest.config.json', ...workers(args), ...args],
    live: true,
  },
];

/** None of these needs another. */
const CHECKS: readonly Step[] = [
  // Code for browsers has other global types, and a configuration of its own.
  { name: 'type check of page code', command: ['typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.pages.json'] },
  { name: 'format check', command: ['oxfmt/bin/oxfmt', '--check', '.'] },
  { name: 'lint and type check', command: ['oxlint/bin/oxlint', '.'] },
];

function workers(args: readonly string[]): readonly string[] {
  const isStated = args.some((arg) => /^(-w|-i|--maxWorkers|--runInBand)\b/.test(arg));
  return isStated ? [] : [`--maxWorkers=${Math.max(2, availableParallelism())}`];
}

async function main(args: readonly string[]): Promise<void> {
  const [tests, checks] = await Promise.all([inOrder(testSteps(args), 'chained'), inOrder(CHECKS, 'independent')]);
  const results = [...tests, ...checks];
  console.log('');
  for (const { name, passed, seconds } of results) {
    console.log(`${seconds.toFixed(0).padStart(4)} s  ${name}${passed ? '' : ': FAILED'}`);
  }
  const last = tests.at(-1)?.output.trimEnd().split('\n').at(-1) ?? '';
  if (last.startsWith('SKIPPED')) {
    console.log(`\n${last}`);
  }
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
}

/** One after another; `chained` stops at the first that fails. */
async function inOrder(steps: readonly Step[], kind: 'chained' | 'independent'): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) {
    const result = await run(step);
    results.push(result);
    if (kind === 'chained' && !result.passed) {
      break;
    }
  }
  return results;
}

function run({ name, command: [program, ...args], live = false }: Step): Promise<StepResult> {
  const started = performance.now();
  return new Promise((done, reject) => {
    // Tests leave much garbage: with room for it, less CPU time goes into collecting it. Workers get the flags of their parent.
    const flags = live ? ['--max-semi-space-size=64'] : [];
    const child = spawn(process.execPath, [...flags, join(ROOT, 'node_modules', program), ...args], {
      cwd: ROOT,
      env: {
        // The compiler and the linter are Go programs that end soon, and otherwise spend a third of their CPU time on collecting garbage.
        GOGC: '400',
        ...process.env,
        // Jest keeps its colors, although it writes into a pipe here.
        ...(live && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      from.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (live) {
          to.write(text);
        }
      });
    }
    child.on('error', reject);
    child.on('close', (status) => {
      const passed = status === 0;
      const seconds = (performance.now() - started) / 1000;
      if (!live) {
        console.log(passed ? `passed: ${name} (${seconds.toFixed(0)} s)` : `FAILED: ${name}\n${output.trimEnd()}`);
      }
      done({ name, passed, seconds, output });
    });
  });
}

void main(process.argv.slice(2));
