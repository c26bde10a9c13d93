/**
 * Runs a cdk8s app as a program of its own.
 */
import { spawn } from 'node:child_process';
import { REPORT_FILE_VARIABLE } from '../../../checks/report/report-file';
import { type Terminal } from '../terminal';

export interface AppRun {
  /** `undefined` where the app ended well, else what to tell. */
  readonly failure: string | undefined;
}

/**
 * Runs the command in a shell, as cdk8s does, with the folder to write to and the file for its report in the environment. What the app
 * prints goes to standard error, so that standard output holds the report alone.
 */
export async function runApp(command: string, folder: string, reportFile: string, terminal: Terminal): Promise<AppRun> {
  const env = {
    ...terminal.env,
    CDK8S_OUTDIR: folder,
    CDK8S_RECORD_CONSTRUCT_METADATA: 'true',
    [REPORT_FILE_VARIABLE]: reportFile,
  };
  const child = spawn(command, { cwd: terminal.cwd, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => terminal.err(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const stop = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const { code, signal } = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
      (done, failed) => {
        child.once('error', failed);
        child.once('close', (status, killedBy) => done({ code: status, signal: killedBy }));
      },
    );
    if (code === 0) {
      terminal.err(errors);
      return { failure: undefined };
    }
    const how = signal === null ? `exit status ${code}` : `signal ${signal}`;
    return { failure: `the app "${command}" failed (${how})\n${withoutForeignFrames(errors)}`.trimEnd() };
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  }
}

/** Keeps the message and the frames of the app's own code; drops those of Node and of libraries, which are not the author's to mend. */
function withoutForeignFrames(text: string): string {
  return text
    .split('\n')
    .filter(
      (line) =>
        !(/^\s+at /.test(line) && /node:|node_modules|<anonymous>|\/lib\/(checks|rules|manifests)\//.test(line)),
    )
    .filter((line) => !/^Node\.js v\d/.test(line))
    .join('\n')
    .trim();
}
