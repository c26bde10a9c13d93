/**
 * Builds the programs in `programs/` from the Go module proxy, each once per state of its folder, and asks them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { cacheFolder } from '../control-plane/components';
import { moduleVersion, PROGRAMS_FOLDER, WEBHOOK_PROJECTS, type WebhookProject } from './projects';

/** What a project's validators say of one object. */
export interface ProjectVerdict {
  /** `unclear`: the validators do not judge it, or panicked. */
  readonly verdict: 'accepted' | 'refused' | 'unclear';
  readonly message: string;
}

export interface WebhookQuestion {
  readonly object: JsonObject;
  /** Objects that the cluster already has. */
  readonly beside: readonly JsonObject[];
}

/** What keeps this machine from asking the project; `undefined` where nothing does. */
export function whyNoProgram(project: WebhookProject): string | undefined {
  if (existsSync(programPath(project)) || spawnSync('go', ['version']).status === 0) {
    return undefined;
  }
  return 'Go is not on this machine (no `go` in PATH), and the program is not in the cache.';
}

function programPath(project: WebhookProject): string {
  const hash = createHash('sha256');
  for (const folder of ['judge/verdict', 'judge/admission', 'judge', project.name]) {
    const path = join(PROGRAMS_FOLDER, folder);
    for (const name of readdirSync(path).sort()) {
      if (/\.(go|mod|sum|s)$/.test(name)) {
        hash.update(`${name}\0`).update(readFileSync(join(path, name)));
      }
    }
  }
  return join(
    cacheFolder(),
    `webhooks-${project.name}-${moduleVersion(project)}-${hash.digest('hex').slice(0, 12)}`,
    project.name,
  );
}

/** The version of the project's module that `go.mod` of its program requires. */
export function pinnedVersion({ name, module }: WebhookProject): string | undefined {
  const text = readFileSync(join(PROGRAMS_FOLDER, name, 'go.mod'), 'utf8');
  return new RegExp(`^\\s*(?:require )?${module.replaceAll('.', '\\.')} (v\\S+)$`, 'm').exec(text)?.[1];
}

/**
 * The path of the project's program, which is built where the cache does not have it (one to five minutes).
 *
 * @throws Error where `go build` fails, with what it printed
 */
export function buildProgram(project: WebhookProject, print: (line: string) => void): string {
  const target = programPath(project);
  if (existsSync(target)) {
    return target;
  }
  mkdirSync(dirname(target), { recursive: true });
  print(`building the validators of ${project.name} ${moduleVersion(project)} …`);
  const begin = Date.now();
  // Under a name of its own until it is whole.
  const partial = `${target}.${process.pid}`;
  const { status, stderr } = spawnSync(
    'nice',
    ['-n', '5', 'go', 'build', '-buildvcs=false', '-ldflags', '-s -w', '-o', partial, '.'],
    {
      cwd: join(PROGRAMS_FOLDER, project.name),
      encoding: 'utf8',
      env: { ...process.env, GOWORK: 'off' },
    },
  );
  if (status !== 0) {
    throw new Error(`go build ${project.name} failed:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
  print(`built ${project.name} in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  return target;
}

/** Asks a program; the verdicts are in the order of the questions. */
export async function askProgram(
  program: string,
  questions: readonly WebhookQuestion[],
): Promise<readonly ProjectVerdict[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  for (const question of questions) {
    if (!child.stdin.write(`${JSON.stringify(question)}\n`)) {
      await new Promise((resolve) => child.stdin.once('drain', resolve));
    }
  }
  child.stdin.end();
  const status = await ended;
  const lines = out.split('\n').filter((line) => line !== '');
  if (status !== 0 || lines.length !== questions.length) {
    const tail = errors.split('\n').slice(-20).join('\n');
    throw new Error(`${program}: status ${status}, ${lines.length} of ${questions.length} verdicts\n${tail}`);
  }
  return lines.map(readVerdict);
}

function readVerdict(line: string): ProjectVerdict {
  const [, verdict, message] = /^(accepted|refused|unclear) ?(.*)$/.exec(line) ?? [];
  if (verdict === undefined) {
    throw new Error(`not a verdict: ${line}`);
  }
  return { verdict: verdict as ProjectVerdict['verdict'], message };
}

if (require.main === module) {
  // Builds the programs that are named, or all.
  const named = process.argv.slice(2);
  for (const project of WEBHOOK_PROJECTS.filter(({ name }) => named.length === 0 || named.includes(name))) {
    buildProgram(project, (line) => console.log(line));
  }
}
