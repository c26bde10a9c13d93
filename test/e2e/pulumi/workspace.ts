/**
 * A stack of the real engine: the Automation API with a program of the test, a state file, and the provider of this folder.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalWorkspace, type PulumiFn, PulumiCommand, type Stack } from '@pulumi/pulumi/automation';
import { pulumiRoot } from './pulumi-cli';

export interface Workspace {
  readonly stack: Stack;
  /** Where state and plugins are. */
  readonly folder: string;
  /** Replaces the program. */
  use(program: PulumiFn): void;
  /** The state as it lies on disk. */
  stateFile(): string;
  remove(): void;
}

/**
 * @param port port of the provider
 * @param folder that of a workspace that exists
 */
export async function workspace(
  project: string,
  port: number,
  folder = mkdtempSync(join(tmpdir(), 'gantry-pulumi-')),
): Promise<Workspace> {
  for (const part of ['state', 'home', 'work']) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  const envVars = {
    PULUMI_HOME: join(folder, 'home'),
    PULUMI_BACKEND_URL: `file://${join(folder, 'state')}`,
    PULUMI_CONFIG_PASSPHRASE: 'of a test',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    PULUMI_ERROR_OUTPUT_STRING: 'true',
    PULUMI_DEBUG_PROVIDERS: `kubernetes:${port}`,
  };
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: 'test', projectName: project, program: () => Promise.resolve() },
    { pulumiCommand: await PulumiCommand.get({ root: pulumiRoot() }), workDir: join(folder, 'work'), envVars },
  );
  return {
    stack,
    folder,
    use: (program) => {
      stack.workspace.program = program;
    },
    stateFile: () => {
      const stacks = join(folder, 'state', '.pulumi', 'stacks', project);
      const [name = ''] = readdirSync(stacks).filter((file) => file.endsWith('.json'));
      return readFileSync(join(stacks, name), 'utf8');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
