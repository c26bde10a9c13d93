/**
 * What a live API server said about many documents, kept as text: `test/fixtures/verdicts.txt`.
 *
 * A line that begins with `{` is a valid manifest as JSON. Each line below it is one document that differs from it in one stretch of that text:
 *
 *     START END FORM VERDICT<tab>REPLACEMENT
 *
 * START characters from the front and END from the back are the same, REPLACEMENT is between them. FORM is `object`, or `text` where only the text
 * shows the difference (a key twice). VERDICT is `accepted`, or `rejected` followed by the fields of the server's causes. A field with a question mark
 * is one that Gantry did not name when the verdict was recorded, although it rejects the document too.
 */
import { tokensOf } from '../../src/manifests/pointer';

export interface RecordedVerdict {
  /** The document as JSON. */
  readonly text: string;
  readonly form: 'object' | 'text';
  readonly verdict: 'accepted' | 'rejected';
  /** Fields as the server writes them: `spec.containers[0].name`. Spaces are written as `%20`. */
  readonly fields: readonly { readonly field: string; readonly named: boolean }[];
}

export interface VerdictGroup {
  readonly base: string;
  readonly verdicts: readonly RecordedVerdict[];
}

export function printVerdicts(head: readonly string[], groups: readonly VerdictGroup[]): string {
  const lines = groups.flatMap(({ base, verdicts }) => [
    base,
    ...verdicts.map((verdict) => printVerdict(base, verdict)),
  ]);
  return `${[...head.map((line) => `# ${line}`), ...lines].join('\n')}\n`;
}

/** The line of one verdict below its base. */
export function printVerdict(base: string, { text, form, verdict, fields }: RecordedVerdict): string {
  let start = 0;
  while (start < base.length && start < text.length && base[start] === text[start]) {
    start++;
  }
  let end = 0;
  const most = Math.min(base.length, text.length) - start;
  while (end < most && base[base.length - 1 - end] === text[text.length - 1 - end]) {
    end++;
  }
  const names = fields.map(({ field, named }) => ` ${encoded(field)}${named ? '' : '?'}`).join('');
  return `${start} ${end} ${form} ${verdict}${names}\t${text.slice(start, text.length - end)}`;
}

/** The lines at the top of the file, which say where it comes from. */
export function verdictsHead(file: string): readonly string[] {
  return file
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .map((line) => line.slice('# '.length));
}

export function readVerdicts(file: string): readonly VerdictGroup[] {
  const groups: { base: string; verdicts: RecordedVerdict[] }[] = [];
  for (const line of file.split('\n')) {
    if (line.startsWith('{')) {
      groups.push({ base: line, verdicts: [] });
    } else if (line !== '' && !line.startsWith('#')) {
      const group = groups[groups.length - 1];
      group.verdicts.push(read(group.base, line));
    }
  }
  return groups;
}

function read(base: string, line: string): RecordedVerdict {
  const tab = line.indexOf('\t');
  const [start, end, form, verdict, ...names] = line.slice(0, tab).split(' ');
  if ((form !== 'object' && form !== 'text') || (verdict !== 'accepted' && verdict !== 'rejected')) {
    throw new Error(`not a recorded verdict: ${line.slice(0, 80)}`);
  }
  return {
    text: base.slice(0, Number(start)) + line.slice(tab + 1) + base.slice(base.length - Number(end)),
    form,
    verdict,
    fields: names.map((name) => ({ field: decodeURIComponent(name.replace(/\?$/, '')), named: !name.endsWith('?') })),
  };
}

function encoded(field: string): string {
  return field.replace(/[%?\s]/g, (character) => encodeURIComponent(character));
}

/** Whether Gantry says the same: the verdict, and the fields that it named when this was recorded. */
export function agrees(
  recorded: RecordedVerdict,
  gantry: { readonly verdict: string; readonly findings: readonly { readonly path: string }[] },
): boolean {
  const paths = gantry.findings.map(({ path }) => path);
  return (
    gantry.verdict === (recorded.verdict === 'accepted' ? 'accepted' : 'refused') &&
    recorded.fields.every(({ field, named }) => !named || names(paths, field))
  );
}

/** Whether one of the places where Gantry objects is the field that the server names, its parent, or a child of it. */
export function names(paths: readonly string[], field: string): boolean {
  const wanted = tokensOfField(field);
  return paths.some((path) => {
    const found = tokensOf(path);
    const shorter = Math.min(found.length, wanted.length);
    return (
      shorter > 0 &&
      Math.abs(found.length - wanted.length) <= 1 &&
      found.slice(0, shorter).every((token, index) => token === wanted[index])
    );
  });
}

/** `spec.limits[nvidia.com/gpu].min[0]` as tokens. */
function tokensOfField(field: string): readonly string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, key, name]) => key ?? name);
}
