/**
 * The recipes of docs/logs.md: their manifests have no finding of any tier, and the configuration of the collectors, which is not run here, has the blocks and
 * settings that the documentation of the collectors names.
 *
 * Sources: Grafana Alloy, docs/sources/reference/components; Fluent Bit, docs/pipeline; Loki, docs/sources/alert.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as cdk8s from 'cdk8s';
import * as plus from 'cdk8s-plus-28';
import ts from 'typescript';
import * as gantry from '../../src';
import { type JsonObject } from '../../src/facts/api/schema';
import { Testing } from '../../src/interfaces/testing';
import { asArray, asObject, asString } from '../../src/manifests/read';

const PAGE = readFileSync(join(__dirname, '../../docs/logs.md'), 'utf8');
const MODULES: Readonly<Record<string, unknown>> = { cdk8s, 'cdk8s-plus-28': plus, 'cdk8s-gantry': gantry };

/** The app of the snippet below the title, after it was synthesized. */
function recipe(title: string): cdk8s.App {
  const code = /```ts\n([\s\S]*?)```/.exec(PAGE.slice(PAGE.indexOf(`\n## ${title}\n`)))![1];
  const { outputText } = ts.transpileModule(`${code}\nexport { app };`, {
    compilerOptions: { module: ts.ModuleKind.CommonJS },
  });
  const exported: { app?: cdk8s.App } = {};
  const folder = mkdtempSync(join(tmpdir(), 'gantry-logs-'));
  const { CDK8S_OUTDIR } = process.env;
  const told = jest.spyOn(console, 'log').mockReturnValue(undefined);
  try {
    process.env.CDK8S_OUTDIR = folder;
    // oxlint-disable-next-line typescript/no-implied-eval
    const run = new Function('require', 'exports', outputText) as (load: (name: string) => unknown, to: object) => void;
    run((name) => MODULES[name], exported);
  } finally {
    told.mockRestore();
    delete process.env.CDK8S_OUTDIR;
    Object.assign(process.env, CDK8S_OUTDIR === undefined ? {} : { CDK8S_OUTDIR });
    rmSync(folder, { recursive: true });
  }
  return exported.app!;
}

const chartValues = (app: cdk8s.App): JsonObject => {
  const objects = app.charts.flatMap((chart) => chart.toJson() as readonly JsonObject[]);
  return asObject(asObject(objects.find(({ kind }) => kind === 'HelmRelease')!.spec).values);
};

describe.each(['Loki', 'OpenSearch'])('the recipe for %s', (title) => {
  test('has no finding of any tier', () => {
    const app = recipe(title);
    const { findings } = Testing.check(app);
    expect(findings.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([]);
  });
});

/** Arguments and blocks of the components that the recipe uses, as Alloy documents them. */
const ALLOY: Readonly<Record<string, readonly string[]>> = {
  'loki.source.journal': ['format_as_json', 'forward_to', 'labels', 'matches', 'max_age', 'path', 'relabel_rules'],
  'discovery.kubernetes': ['role', 'selectors', 'namespaces', 'attach_metadata', 'kubeconfig_file', 'api_server'],
  selectors: ['role', 'field', 'label'],
  'discovery.relabel': ['targets', 'rule'],
  rule: ['action', 'modulus', 'regex', 'replacement', 'separator', 'source_labels', 'target_label'],
  'loki.source.kubernetes': ['targets', 'forward_to', 'client', 'clustering'],
  'loki.write': ['endpoint', 'external_labels', 'max_streams', 'wal'],
  endpoint: [
    'url',
    'name',
    'headers',
    'batch_wait',
    'batch_size',
    'tenant_id',
    'basic_auth',
    'bearer_token_file',
    'tls_config',
  ],
};

test('Alloy knows each component and argument, and each reference leads to a component', () => {
  const content = asString(asObject(asObject(chartValues(recipe('Loki')).alloy).configMap).content) ?? '';
  const open: string[] = [];
  const made = new Set<string>();
  const unknown: string[] = [];
  for (const line of content.split('\n').map((one) => one.trim())) {
    const [, block, label] = /^([a-z_.]+)(?: "(\w+)")? \{$/.exec(line) ?? [];
    const [, argument] = /^([a-z_]+) *= /.exec(line) ?? [];
    const name = block ?? argument;
    if (name !== undefined && open.length > 0 && !ALLOY[open.at(-1)!]?.includes(name)) {
      unknown.push(`${name} of ${open.at(-1)}`);
    }
    if (block !== undefined) {
      unknown.push(...(Object.hasOwn(ALLOY, block) ? [] : [block]));
      made.add(`${block}.${label}`);
      open.push(block);
    } else if (line === '}') {
      open.pop();
    }
  }
  expect([unknown, open]).toEqual([[], []]);
  const uses = [...content.matchAll(/\b((?:loki|discovery)\.[a-z_.]+?)\.(receiver|targets|output)\b/g)].map(
    ([, name]) => name,
  );
  expect(uses.length).toBeGreaterThan(3);
  expect(uses.filter((name) => !made.has(name))).toEqual([]);
});

/** Settings of the inputs and the output that the recipe uses, as Fluent Bit documents them; it compares them without case. */
const FLUENT_BIT: Readonly<Record<string, readonly string[]>> = {
  systemd: [
    'path',
    'max_fields',
    'max_entries',
    'systemd_filter',
    'systemd_filter_type',
    'tag',
    'db',
    'read_from_tail',
    'lowercase',
    'strip_underscores',
  ],
  tail: [
    'path',
    'exclude_path',
    'tag',
    'multiline.parser',
    'parser',
    'db',
    'mem_buf_limit',
    'skip_long_lines',
    'refresh_interval',
    'read_from_head',
  ],
  opensearch: [
    'host',
    'port',
    'http_user',
    'http_passwd',
    'tls',
    'tls.verify',
    'match',
    'index',
    'logstash_format',
    'logstash_prefix',
    'replace_dots',
    'suppress_type_name',
    'retry_limit',
  ],
};

test('Fluent Bit knows each setting, and each input has an output', () => {
  const { inputs, outputs } = asObject(chartValues(recipe('OpenSearch')).config);
  const sections = `${asString(inputs)}${asString(outputs)}`
    .split(/^\[(?:INPUT|OUTPUT)\]$/m)
    .slice(1)
    .map(
      (section) =>
        new Map([...section.matchAll(/^ {4}(\S+) +(.+)$/gm)].map(([, key, value]) => [key.toLowerCase(), value])),
    );
  expect(sections.map((section) => section.get('name'))).toEqual(['systemd', 'tail', 'opensearch', 'opensearch']);
  for (const section of sections) {
    const known = FLUENT_BIT[section.get('name') ?? ''];
    expect([...section.keys()].filter((key) => key !== 'name' && !known.includes(key))).toEqual([]);
  }
  const matches = sections.flatMap((section) => section.get('match') ?? []);
  expect(matches).toEqual(sections.flatMap((section) => section.get('tag') ?? []));
  // The user and the password come from the environment of the container.
  const env = asArray(chartValues(recipe('OpenSearch')).env).map((one) => asString(asObject(one).name));
  expect(env).toEqual([...`${asString(outputs)}`.matchAll(/\$\{(\w+)\}/g)].slice(0, 2).map(([, name]) => name));
});
