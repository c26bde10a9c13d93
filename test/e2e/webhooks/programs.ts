/**
 * Builds the programs in `programs/` from the Go module proxy, each once per state of its folder, and asks them.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { buildGoProgram, cacheFolder, hashOfSources, requiredVersion, whyNoPrograms } from '../go-program';
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
  return whyNoPrograms([programPath(project)], 'the program');
}

function programPath(project: WebhookProject): string {
  const shared = project.embedded === undefined ? 'judge/admission' : 'judge/embedded';
  const added = project.added === undefined ? [] : [join(project.name, dirname(project.added.file))];
  const folders = ['judge/verdict', shared, 'judge', project.name, ...added];
  const hash = hashOfSources(folders.map((folder) => join(PROGRAMS_FOLDER, folder)));
  return join(cacheFolder(), `webhooks-${project.name}-${moduleVersion(project)}-${hash}`, project.name);
}

/** The version of the project's module that `go.mod` of its program requires. */
export function pinnedVersion({ name, module }: WebhookProject): string {
  return requiredVersion(join(PROGRAMS_FOLDER, name), module);
}

/**
 * The path of the project's program, which is built where the cache does not have it (one to five minutes).
 *
 * @throws Error where `go build` fails, with what it printed
 */
export function buildProgram(project: WebhookProject, print: (line: string) => void): string {
  const folder = join(PROGRAMS_FOLDER, project.name);
  return buildGoProgram({ target: programPath(project), folder, cgo: project.cgo, added: project.added }, print);
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
