/**
 * Many names in a few words: neighbors that differ in their last number alone are a range.
 */

/** More ranges than this are printed as a number. */
const MOST_RANGES = 4;

/** `h100-01..08, h100-12`; `h100-01..04, … (23 nodes)` where there are many. */
export function namesText(names: readonly string[]): string {
  const ranges: { readonly prefix: string; readonly first: string; last: string }[] = [];
  for (const name of names) {
    const number = /(?<!\d)\d+$/.exec(name)?.[0] ?? '';
    const prefix = name.slice(0, name.length - number.length);
    const range = ranges.at(-1);
    if (range !== undefined && number !== '' && range.prefix === prefix && follows(range.last, number)) {
      range.last = number;
    } else {
      ranges.push({ prefix, first: number, last: number });
    }
  }
  const texts = ranges.map(({ prefix, first, last }) =>
    first === last ? `${prefix}${first}` : `${prefix}${first}..${last}`,
  );
  return texts.length <= MOST_RANGES
    ? texts.join(', ')
    : `${texts.slice(0, MOST_RANGES - 1).join(', ')}, … (${names.length} nodes)`;
}

function follows(before: string, number: string): boolean {
  return (
    before !== '' &&
    Number(number) === Number(before) + 1 &&
    (before.length === number.length || !before.startsWith('0'))
  );
}
