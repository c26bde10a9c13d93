/**
 * What the rules of a domain find in manifests, kept as text: `test/fixtures/findings/DOMAIN.txt`.
 *
 * A line for each document, which is a list of manifests as JSON (`asJson`), and below it a line for each finding:
 *
 *     [MANIFEST, ...]
 *       RULE SEVERITY INDEX/POINTER = VALUE (NAME, NAME, ...)
 *
 * INDEX is that of the manifest, from 0. SEVERITY is there where it is not that of the rule, and VALUE, which the finding shows, where it is not the one
 * at the pointer. The NAMEs are the numbers and identifiers that only the words of this finding have: the rest of its words may change.
 */
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { FindingCollector } from '../../src/checks/report/collector';
import { type Finding, RULE_GROUPS } from '../../src/checks/report/finding';
import { type Rule } from '../../src/checks/rules/rule';
import { runRules } from '../../src/checks/rules/run-rules';
import { describeId } from '../../src/manifests/manifest';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { valueAt } from '../../src/manifests/pointer';
import { fromJson } from './manifest-of';

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
  const set = new ManifestSet((JSON.parse(text) as readonly JsonObject[]).map(fromJson));
  const collector = new FindingCollector(set, { groups: RULE_GROUPS });
  runRules(rules, { set, kubernetes: '1.35' }, collector);
  const { findings, notChecked } = collector.report();
  if (notChecked.length > 0) {
    throw new Error(`${notChecked.map(({ why }) => why).join('; ')}: ${text}`);
  }
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const names = set.manifests.map(({ id }) => describeId(id));
  return findings.map((finding) => {
    const { rule, severity, object, path, found } = finding;
    const manifest = names.indexOf(object);
    const grade = byId.get(rule)?.severity === severity ? '' : ` ${severity}`;
    const value = shown(found, valueAt(set.manifests[manifest].object, path));
    const named = namesIn(finding, byId.get(rule));
    return `${rule}${grade} ${manifest}${path}${value}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
  });
}

/** Numbers, and words of code: with a capital inside, or with two parts. */
const NAME = /-?\d+(?:\.\d+)?[A-Za-z%]*|[\w$]*[a-z][A-Z]\w*|\w+(?:[._/:-]+\w+)+/g;

/** The numbers and identifiers in the words of a finding which its rule, its place, and its value do not have. */
function namesIn(finding: Finding, rule: Rule | undefined): readonly string[] {
  const { message, expected = '', fix = '', path, found } = finding;
  const known = [rule?.summary, rule?.fix, path, JSON.stringify(found)].join(' ');
  const named = `${message} ${expected} ${fix}`.match(NAME) ?? [];
  return [...new Set(named)].filter((name) => !known.includes(name));
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
