/**
 * The table of `docs/agreement.md`: per API group, how often Gantry and kubeconform say what the server says.
 */
import { type Summary, percent } from '../agreement/summary';
import { type Comparison } from './compare';

interface Row {
  kinds: number;
  asked: number;
  gantry: number;
  falseAccepts: number;
  falseRejects: number;
  kubeconform: number;
}

/** Markdown; `asked` leaves out what the server has no clear answer to. */
export function groupTable(summary: Summary, { byKind }: Comparison): string {
  const rows = new Map<string, Row>();
  const total = newRow();
  for (const kind of summary.byKind) {
    const peer = byKind.find((candidate) => candidate.kind === kind.kind);
    const group = kind.kind.includes('/') ? kind.kind.slice(0, kind.kind.indexOf('/')) : 'core (v1)';
    const row = rows.get(group) ?? newRow();
    for (const sum of [row, total]) {
      sum.kinds += 1;
      sum.asked += kind.asked - kind.unclear;
      sum.gantry += kind.agree;
      sum.falseAccepts += kind.falseAccepts;
      sum.falseRejects += kind.falseRejects;
      sum.kubeconform += peer?.kubeconform ?? 0;
    }
    rows.set(group, row);
  }
  const lines = [...[...rows].sort(([a], [b]) => (a < b ? -1 : 1)), ['**all**', total] as const].map(([group, row]) =>
    [
      group,
      row.kinds,
      row.asked,
      row.falseAccepts,
      row.falseRejects,
      percent(row.gantry, row.asked),
      percent(row.kubeconform, row.asked),
    ].join(' | '),
  );
  const head = ['API group', 'kinds', 'asked', 'false accepts', 'false rejects', 'Gantry agrees', 'kubeconform agrees'];
  return [head.join(' | '), ['---', ...head.slice(1).map(() => '---:')].join(' | '), ...lines]
    .map((line) => `| ${line} |\n`)
    .join('');
}

function newRow(): Row {
  return { kinds: 0, asked: 0, gantry: 0, falseAccepts: 0, falseRejects: 0, kubeconform: 0 };
}
