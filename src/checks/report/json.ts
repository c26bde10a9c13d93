/**
 * Reports as JSON: a stable format, documented in docs/cli.md.
 */
import { type Finding, type NotChecked } from './finding';
import { countsOf, type Report } from './report';

/** The report as indented JSON with a line end. Keys that do not apply are absent. */
export function renderJson(report: Report): string {
  const value = {
    documents: report.documents,
    counts: countsOf(report),
    findings: report.findings.map(findingJson),
    notChecked: report.notChecked.map(notCheckedJson),
    suppressed: report.suppressed.map((finding) => ({ ...findingJson(finding), reason: finding.reason })),
    skipped: report.skipped.map(({ file, line, why }) => ({ file, line, why })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Named one by one, so that the order of keys, and which there are, does not hang on how a finding was made. */
function findingJson({
  rule,
  tier,
  severity,
  group,
  object,
  path,
  message,
  found,
  expected,
  fix,
  file,
  line,
  construct,
  omitted,
}: Finding): Finding {
  return { rule, tier, severity, group, object, path, message, found, expected, fix, file, line, construct, omitted };
}

function notCheckedJson({ object, file, construct, why, failed }: NotChecked): NotChecked {
  return { object, file, construct, why, failed };
}
