/**
 * The table of upstream releases is the one place that states their versions.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cite, KUBERNETES_RELEASES, stagingVersion, UPSTREAM, type UpstreamRelease } from '../../src/facts/upstream';
import { KNOWN_MESSAGES } from '../../src/facts/messages/known-messages';
import { allRuleFacts } from '../../src/interfaces/checks/all-rules';

const ROOT = resolve(__dirname, '../..');
const RELEASES: readonly UpstreamRelease[] = Object.values(UPSTREAM);

/** What is generated from the table, or states what was measured with one version. */
const GENERATED = [
  /^src\/facts\/api\/(types|schemas)\//,
  /^src\/facts\/api\/kind-table\.ts$/,
  /^src\/facts\/upstream\//,
  /^src\/planning\/pages\/assets\.ts$/,
  /^docs\/rules\.md$/,
];
/** Blocks of pages that the docs generator writes. */
const GENERATED_BLOCK = /<!-- (rules|catalog): [\s\S]*?<!-- end of (rules|catalog) -->/g;

function statingFiles(): readonly string[] {
  const inFolders = ['src', 'projen', 'bench', 'test', 'examples', 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  return [...inFolders, ...readdirSync(ROOT)]
    .filter((file) => /\.(ts|md)$/.test(file))
    .filter((file) => !GENERATED.some((pattern) => pattern.test(file)));
}

test('no other file states the version of a tracked release', () => {
  const versions = [
    ...RELEASES.flatMap(({ version, moduleVersion }) => [
      version,
      ...(moduleVersion === undefined ? [] : [moduleVersion]),
    ]),
    ...Object.values(KUBERNETES_RELEASES).flatMap((version) => [version, stagingVersion(version)]),
  ];
  const literal = new RegExp(
    `(?<![\\w.-])(${[...new Set(versions)].map((version) => version.replaceAll('.', '\\.')).join('|')})(?![\\w.])`,
  );
  const stated = statingFiles().flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(GENERATED_BLOCK, '');
    return text
      .split('\n')
      .map((line) => literal.exec(line)?.[1])
      .filter((version) => version !== undefined)
      .map((version) => `${file} states ${version}`);
  });
  expect(stated).toEqual([]);
});

test('the source of a rule or of a known message names no project with another version than that of the table', () => {
  const names = RELEASES.map(({ cited }) => cited.replaceAll('/', '\\/'));
  const cited = new RegExp(`(?<![\\w/-])(${names.join('|')}|kubernetes) (v?\\d[\\w.]*(?:-\\d+)?)`, 'g');
  const versions = new Map<string, readonly string[]>(
    RELEASES.map(({ cited: name, version, code = version }) => [name, [version, code]] as const),
  );
  versions.set('kubernetes', [cite('kubernetes').replace('kubernetes ', '')]);
  const found = [...allRuleFacts(), ...KNOWN_MESSAGES].flatMap(({ id, source }) =>
    [...source.matchAll(cited)]
      // A minor says since when something holds.
      .filter(([, name, version]) => versions.get(name)?.includes(version) !== true && !/^1\.\d+$/.test(version))
      .map(([text]) => `${id}: ${text}`),
  );
  expect(found).toEqual([]);
});

test('rules cite most of the releases', () => {
  const sources = allRuleFacts().map(({ source }) => source);
  const used = RELEASES.filter(({ cited, version }) =>
    sources.some((source) => source.includes(`${cited} ${version}`)),
  );
  expect(used.length).toBeGreaterThan(20);
});
