/**
 * The official examples of the covered projects: whatever is reported on them is true.
 */
import { writeSync } from 'node:fs';
import { whySkipped } from '../../../projen/api/drift';
import { UnavailableSource } from '../../../projen/api/lock';
import { check } from '../../../src/checks/engine';
import { type Finding } from '../../../src/checks/report/finding';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { skippedLine } from '../../support/skipped';
import { examplesOf, moduleFolder } from './examples';
import { EXPECTED } from './expected';
import { EXAMPLE_SOURCES, type ExampleSource } from './sources';

/** The fewest objects that all sources together have; fewer would mean that folders were moved. */
const LEAST_OBJECTS = 1000;

const skipped: Record<string, string> = {};
let objects = 0;

const noGo = whySkipped();

function describeCount(severity: string, rule: string, file: string, count: number): string {
  return `${severity} ${rule} ${file}: ${count}`;
}

function counted(findings: readonly Finding[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { severity, rule, file = '' } of findings) {
    const key = JSON.stringify([severity, rule, file]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => describeCount(...(JSON.parse(key) as [string, string, string]), count))
    .sort();
}

function expectedOf(source: ExampleSource): readonly string[] {
  return EXPECTED.filter(({ project }) => project === source.project)
    .flatMap(({ severity, rule, files }) =>
      Object.entries(files).map(([file, count]) => describeCount(severity, rule, file, count)),
    )
    .sort();
}

/** The module's folder, unless it cannot be fetched here and now. */
function folderOf(source: ExampleSource): string | undefined {
  if (noGo !== undefined) {
    skipped[source.project] = noGo;
    return undefined;
  }
  try {
    return moduleFolder(source);
  } catch (error) {
    if (!(error instanceof UnavailableSource)) {
      throw error;
    }
    skipped[source.project] = error.message;
    return undefined;
  }
}

test.each(EXAMPLE_SOURCES.map((source) => ({ source, name: source.project })))(
  'errors and warnings on the examples of $name are those that were reviewed',
  ({ source }) => {
    const root = folderOf(source);
    if (root === undefined) {
      return;
    }
    const findings = examplesOf(source, root).flatMap(({ file, set }) => {
      objects += set.manifests.length;
      const report = check(set, { rules: allRules(), kubernetes: '1.36' });
      expect(report.notChecked.filter(({ failed }) => failed === true)).toEqual([]);
      return report.findings
        .filter(({ severity }) => severity !== 'info')
        .map((finding): Finding => ({ ...finding, file }));
    });
    expect(counted(findings)).toEqual(expectedOf(source));
  },
);

test('every expected finding has a reason, and its project is a source', () => {
  const projects = new Set(EXAMPLE_SOURCES.map(({ project }) => project));
  expect(EXPECTED.filter(({ reason, project }) => reason === '' || !projects.has(project))).toEqual([]);
});

afterAll(() => {
  const line = skippedLine('official examples', skipped);
  if (line === undefined) {
    expect(objects).toBeGreaterThan(LEAST_OBJECTS);
  } else {
    writeSync(2, line);
  }
});
