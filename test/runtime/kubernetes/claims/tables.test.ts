import { outcomeOf } from './replay';
import { readTables } from './tables';
test('x', () => {
  const { cases } = readTables();
  const lines: string[] = [];
  for (const one of cases) {
    const answer = one.answerOfAllFeatures ?? one.answer;
    let ours: any;
    try {
      ours = outcomeOf(one);
    } catch (e) {
      ours = { kind: 'throws', problem: String(e) };
    }
    const strip = (a: any) =>
      JSON.stringify(
        {
          ...a,
          allocationTimestamp: undefined,
          devices: { ...a.devices, results: (a.devices.results ?? []).map((r: any) => ({ ...r, shareID: undefined })) },
        },
        (k, v) => (v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v),
      );
    const expected = answer.error
      ? `error ${answer.error.slice(0, 120)}`
      : answer.allocations
        ? `allocated ${answer.allocations.map(strip).join('\n      ')}`
        : 'none';
    const got =
      ours.kind === 'allocated'
        ? `allocated ${ours.allocations.map(strip).join('\n      ')}`
        : ours.kind + (ours.problem ? ' ' + ours.problem : '');
    if (expected !== got) lines.push(`${one.name} [${one.features ?? ''}]\n   U ${expected}\n   G ${got}`);
  }
  require('fs').writeFileSync('/tmp/tables-diff.txt', lines.join('\n'));
  console.log(lines.length);
});
