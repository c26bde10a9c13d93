/**
 * Runs modules of examples one after the other, each with modules of its own, and prints what went wrong as JSON. `argv`: their paths.
 */
const { synthesize } = require('cdk8s-gantry');

globalThis.expect = require('expect').expect;
const print = console.log;
console.log = () => {};
console.error = () => {};

main();

async function main() {
  // Stacks of Pulumi register with an engine in memory.
  await require('@pulumi/pulumi').runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: () => ({}),
  });
  print(JSON.stringify(process.argv.slice(2).flatMap(problemsOf)));
}

function problemsOf(path) {
  try {
    const { exampleApp } = require(path);
    return synthesize(exampleApp, { onErrors: 'return' })
      .report.findings.filter(({ severity }) => severity === 'error')
      .map(({ rule, object, path: pointer, message }) => ({ path, problem: `${rule} ${object} ${pointer}: ${message}` }));
  } catch (error) {
    return [{ path, problem: String(error instanceof Error ? error.message : error) }];
  }
}
