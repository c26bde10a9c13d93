/**
 * Programs with several mistakes, as `cdk8s synth` runs them: what is reported, and what is not reported because it follows from a mistake.
 */
import { runProgram as run } from '../../support/run-program';

const reported = (...texts: readonly string[]): { readonly status: number; readonly stderr: string } => ({
  status: 1,
  stderr: ['Validation failed with the following errors:', ...texts.map((text) => `  ${text}`), ''].join('\n'),
});

test('mistakes of several constructs are reported together, each with its construct and line; what follows from them is not', () => {
  expect(
    run([
      "const team = new Team(chart, 'research', { quota: { accelerators: Accelerator.nvidia({ count: 8 }), memory: 900 } });",
      "const queue = new volcano.Queue(chart, 'q', { weigth: 4 });",
      "const made = new kubeflow.PyTorchJob(chart, 'llm', { nodes: 0, image: 'a', command: ['b'] }).submitTo(team.queue);",
      "new volcano.Queue(chart, 'child', { parent: team.queue, capability: { memory: 5 } });",
      'made.resource.addJsonPatch();',
      "new Namespace(team, 'more');",
    ]),
  ).toEqual(
    reported(
      '[c/research] quota.memory 900: must have a unit, since Kubernetes reads a bare number as bytes. Write "900Gi", or Size.gibibytes(900) of cdk8s. (main.js:6)',
      '[c/q] unknown field "weigth" (did you mean "weight"?). (main.js:7)',
      '[c/llm] nodes must be a whole number greater than or equal to 1, not 0. (main.js:8)',
      '[c/child] capability.memory 5: must have a unit, since Kubernetes reads a bare number as bytes. Write "5Gi", or Size.gibibytes(5) of cdk8s. (main.js:9)',
    ),
  );
});

test('a mistake in a value is reported once, at the construct that is given it, or at the app', () => {
  const { status, stderr } = run([
    'const gpus = Accelerator.nvidia({ count: -1 });',
    "gantry.gpuOperator.Sharing.mig({ gpu: 'H100', layout: {} });",
    "new Team(chart, 'a', { quota: { accelerators: gpus } });",
    "new volcano.Queue(chart, 'b', { deserved: { accelerators: [gpus] } });",
  ]);
  expect(status).toBe(1);
  expect(stderr.split('\n').slice(1, -1)).toEqual([
    expect.stringMatching(/^ {2}gpu: accelerator "H100" is ambiguous: .* \(main\.js:7\)$/),
    expect.stringMatching(/^ {2}\[c\/a\] count must be a whole number .* \(main\.js:6\)$/),
  ]);
});

test('a platform that cannot be built is replaced: what is made in it adds no mistakes, and its own are found', () => {
  const { stderr, status } = run([
    "const platform = new GpuPlatform(app, 'platform', {",
    "  pools: { training: { nodes: 4, accelerator: 'H100-SXM-80GB', devicez: 8, cpu: 160, memory: '1536Gi' } },",
    '  teams: { research: { deserved: { training: 9 }, guarante: { training: 1 } } },',
    '});',
    'const { research } = platform.teams;',
    "new kubeflow.PyTorchJob(research.chart, 'a', { ...research.wholeNode('training'), nodes: 2, image: 'x', scheduling: research.scheduling });",
    'for (const network of research.networks) network.name.toString();',
    "new kubeflow.PyTorchJob(research.chart, 'b', { nodes: 0, image: 'x', imgae: 'y' });",
  ]);
  expect({ stderr, status }).toEqual(
    reported(
      '[platform] pools.training: unknown field "devicez" (did you mean "devices"?). (main.js:6)',
      '[platform] pools.training.devices is required. (main.js:6)',
      '[platform] teams.research: unknown field "guarante" (did you mean "guarantee"?). (main.js:6)',
      '[platform/b] unknown field "imgae" (did you mean "image"?). (main.js:13)',
    ),
  );
});

test('an error of the program, and an app that is not synthesized, hide no mistake', () => {
  const wrong = "new volcano.Queue(chart, 'q', { weigth: 4 });";
  const text = '[c/q] unknown field "weigth" (did you mean "weight"?). (main.js:6)';
  const failed = run([wrong, 'undefined.member;']);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain("TypeError: Cannot read properties of undefined (reading 'member')");
  expect(failed.stderr).toContain(text);
  const ended = run([wrong, 'process.exit(0);']);
  expect(ended).toEqual(reported(text));
});

test('without a command that synthesizes, the first mistake ends the program, without a trace', () => {
  const wrong = "new volcano.Queue(chart, 'q', { weigth: 4 });";
  expect(run([wrong, wrong], false)).toEqual({
    status: 1,
    stderr: 'c/q: unknown field "weigth" (did you mean "weight"?). (main.js:6)\n',
  });
  const caught = run([`try { ${wrong} } catch { process.stderr.write('caught\\n'); }`], false);
  expect(caught).toEqual({ status: 0, stderr: 'caught\n' });
});

test('mistakes in functions are reported as those of constructs are, with the construct that is given the value', () => {
  const { status, stderr } = run([
    "const groups = gantry.monitoring.gpuAlerts({ exporterJobs: 'x' });",
    "new gantry.monitoring.PrometheusRule(chart, 'rules', { groups });",
    "gantry.charts.helmCommands(gantry.charts.chartInstall({ chart: 'kedaa' }));",
    "gantry.volcano.torchrun({ processesPerNode: 8, script: 'train.py' });",
    "gantry.keda.fromEnv('1');",
    "gantry.Plan.against('nofile').on(app);",
    "gantry.catalog.acceleratorNamed('H100');",
    "new volcano.Queue(chart, 'q', { weigth: 4 });",
  ]);
  expect(status).toBe(1);
  expect(stderr.split('\n').slice(1, -1).sort()).toEqual([
    expect.stringMatching(/^ {2}\[c\/q\] unknown field "weigth" .* \(main\.js:13\)$/),
    expect.stringMatching(/^ {2}\[c\/rules\] monitoring\.gpuAlerts: unknown field "exporterJobs" .* \(main\.js:6\)$/),
    expect.stringMatching(/^ {2}accelerator "H100" is ambiguous: .* \(main\.js:12\)$/),
    '  nofile: no such file or folder (main.js:11)',
    expect.stringMatching(/^ {2}unknown chart "kedaa" \(did you mean "keda"\?\); .* \(main\.js:8\)$/),
    expect.stringMatching(/^ {2}variable "1" must be the name .* \(main\.js:10\)$/),
    '  volcano.torchrun: script must be a list, not "train.py". (main.js:9)',
  ]);
});

test('without a command that synthesizes, the mistake in a function ends the program, without a trace', () => {
  expect(run(["gantry.charts.chartInstall({ chart: 'keda', valuez: {} });"], false)).toEqual({
    status: 1,
    stderr: 'charts.chartInstall: unknown field "valuez" (did you mean "values"?). (main.js:6)\n',
  });
});

test('a construct that is refused before it is added to the tree is named by its path, and so is one whose id is taken', () => {
  expect(
    run([
      "new kubeflow.PyTorchJob(chart, 'llm', { nodes: 2, image: 'a', accelerators: 8 });",
      "new kubeflow.PyTorchJob(chart, 'two', { nodes: '4', image: 'a', workers: 2 });",
      "new Namespace(chart, 'nlp');",
      "new volcano.Queue(chart, 'nlp');",
    ]),
  ).toEqual(
    reported(
      '[c/llm] accelerators must be an Accelerator such as Accelerator.nvidia(…), not 8. (main.js:6)',
      '[c/two] unknown field "workers" (did you mean "nodes"?). (main.js:7)',
      '[c/two] nodes must be a number, not "4". (main.js:7)',
      '[c/nlp] duplicate id "nlp": the scope has a Namespace of this id. Use another id, and set name: "nlp" if both objects have this name in the cluster. (main.js:9)',
    ),
  );
});

test('what a constructor says about a value that is missing or of a wrong kind is not added to what is known', () => {
  expect(
    run([
      "new kubeflow.TFJob(chart, 'tf', { image: 'a' });",
      "new GpuPlatform(app, 'p', { pools: [], teams: [] });",
      'Accelerator.nvidia(8);',
    ]),
  ).toEqual(
    reported(
      'Accelerator.nvidia: options must be an object such as { count: … }, not 8. (main.js:8)',
      '[c/tf] workers is required. (main.js:6)',
      '[p] pools must be an object with a name for each member, not a list. (main.js:7)',
      '[p] teams must be an object with a name for each member, not a list. (main.js:7)',
    ),
  );
});

test('what toJson of a chart finds ends the program without a trace, as what a synth finds does', () => {
  const job = "new kubeflow.PyTorchJob(chart, 'llm', { nodes: 2, image: 'a', workers: 2 });";
  const cron = "new gantry.batch.CronJob(chart, 'cron', { image: 'a', schedule: '@dayly' });";
  expect(run([job, 'chart.toJson();'])).toEqual(
    reported('[c/llm] unknown field "workers" (did you mean "nodes"?). (main.js:6)'),
  );
  const found = run([cron, 'chart.toJson();'], false);
  expect(found).toEqual(run([cron], false));
  expect(found.stderr).toMatch(
    /^Validation failed .*\n {2}\[c\/cron\/Resource\] error \[core\/cron-job-valid\] .*"@dayly"/,
  );
  const caught = run([cron, 'try { chart.toJson(); } catch {}', "throw new Error('of its own');"], false);
  expect(caught.stderr).toMatch(/main\.js:8\n.*\n\^\n\nError: of its own\n {4}at .*main\.js:8/);
  const later = [
    cron,
    'try { chart.toJson(); } catch {}',
    "setTimeout(() => { throw new Error('Validation failed with the following errors:'); }, 20);",
  ];
  expect(run([...later, 'process.exitCode = 7; app.synth = () => undefined;'], false).stderr).toMatch(
    /\n {4}at .*main\.js:8/,
  );
  const handled = run(
    ["process.on('uncaughtException', () => process.stderr.write('handled\\n'));", cron, 'chart.toJson();'],
    false,
  );
  expect(handled).toEqual({ status: 0, stderr: 'handled\n' });
});
