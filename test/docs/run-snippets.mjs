/**
 * Runs compiled snippets one after another in one process, so that the package is loaded once for all of them.
 *
 *     node run-snippets.mjs FOLDER NAME...
 *
 * Each one has a working folder of its own. The last line of the output is JSON: for each name what it printed, and why it failed.
 */
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';

const [folder, ...names] = process.argv.slice(2);
const require = createRequire(import.meta.url);
// Stacks of Pulumi register with an engine in memory.
await require('@pulumi/pulumi').runtime.setMocks({
  newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
  call: () => ({}),
});
const write = process.stdout.write.bind(process.stdout);
const exit = process.exit.bind(process);
const results = {};

for (const name of names) {
  const out = join(folder, 'dist', name);
  mkdirSync(out, { recursive: true });
  process.chdir(out);
  process.env.CDK8S_OUTDIR = join(out, 'dist');
  let output = '';
  const result = {};
  const collect = (text) => {
    output += text;
    return true;
  };
  const failed = (error) => {
    result.failure ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
  };
  process.stdout.write = collect;
  process.exit = (code) => {
    throw new Error(`the snippet ended the process with status ${code ?? process.exitCode ?? 0}`);
  };
  process.on('uncaughtException', failed).on('unhandledRejection', failed);
  try {
    require(join(folder, 'out', `${name}.js`));
    await idle();
  } catch (error) {
    failed(error);
  }
  process.removeListener('uncaughtException', failed).removeListener('unhandledRejection', failed);
  if (process.exitCode !== undefined && process.exitCode !== 0) {
    failed(`the exit status is ${process.exitCode}`);
  }
  process.exitCode = undefined;
  process.stdout.write = write;
  results[name] = { output, ...result };
}
write(`\n${JSON.stringify(results)}\n`, () => exit(0));

/** Waits until what a snippet started has come to its end: nothing but this process's own pipes keeps it alive. */
async function idle() {
  const own = new Set(['PipeWrap', 'TTYWrap', 'Immediate', 'FSReqCallback']);
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
  }
  while (process.getActiveResourcesInfo().some((resource) => !own.has(resource))) {
    await setImmediate();
  }
}
