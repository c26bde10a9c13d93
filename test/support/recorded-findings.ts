/**
 * What the rules of a domain find in manifests, kept as text: `test/fixtures/findings/DOMAIN.txt`.
 *
 * A line for each document, which is a list of manifests as JSON, and below it a line for each finding:
 *
 *     [MANIFEST, ...]
 *       RULE SEVERITY INDEX/POINTER = VALUE
 *
 * INDEX is that of the manifest, from 0. SEVERITY is there where it is not that of the rule, and VALUE, which the finding shows, where it is not the one
 * at the pointer.
 */
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { FindingCollector } from '../../src/checks/collector';
import { RULE_GROUPS } from '../../src/checks/finding';
import { type Rule } from '../../src/checks/rule';
import { runRules } from '../../src/checks/run-rules';
import { describeId } from '../../src/manifests/manifest';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { valueAt } from '../../src/manifests/pointer';
import { manifestOf } from './manifest-of';

export interface RecordedFindings {
  /** The manifests as JSON. */
  readonly text: string;
  readonly findings: readonly string[];
}

/**
 * What the rules find in the manifests, a line for each finding.
 *
 * @throws where a rule fails
 */
export function findingsIn(rules: readonly Rule[], text: string): readonly string[] {
  const objects = JSON.parse(text) as readonly JsonObject[];
  const set = new ManifestSet(objects.map(manifestOf));
  const collector = new FindingCollector(set, { groups: RULE_GROUPS });
  runRules(rules, { set, kubernetes: '1.35' }, collector);
  const { findings, notChecked } = collector.report();
  if (notChecked.length > 0) {
    throw new Error(`${notChecked.map(({ why }) => why).join('; ')}: ${text}`);
  }
  const severities = new Map(rules.map(({ id, severity }) => [id, severity]));
  const names = set.manifests.map(({ id }) => describeId(id));
  return findings.map(({ rule, severity, object, path, found }) => {
    const manifest = names.indexOf(object);
    const grade = severities.get(rule) === severity ? '' : ` ${severity}`;
    return `${rule}${grade} ${manifest}${path}${shown(found, valueAt(objects[manifest], path))}`;
  });
}

function shown(found: JsonValue | undefined, there: JsonValue | undefined): string {
  const text = JSON.stringify(found);
  return text === undefined || text === JSON.stringify(there) ? '' : ` = ${text}`;
}

export function printFindings(head: string, documents: readonly RecordedFindings[]): string {
  const lines = documents.flatMap(({ text, findings }) => [text, ...findings.map((finding) => `  ${finding}`)]);
  return [`# ${head}`, ...lines, ''].join('\n');
}

export function readFindings(file: string): readonly RecordedFindings[] {
  const documents: { text: string; findings: string[] }[] = [];
  for (const line of file.split('\n').slice(1, -1)) {
    if (line.startsWith('  ')) {
      documents.at(-1)?.findings.push(line.slice(2));
    } else {
      documents.push({ text: line, findings: [] });
    }
  }
  return documents;
}
