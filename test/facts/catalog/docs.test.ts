/**
 * The tables of docs/catalog.md are those of the catalog. `UPDATE_DOCS=1 npx jest test/facts/catalog/docs` writes them again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOG_TOPICS, catalogTables } from '../../../src/facts/catalog';

const PAGE = join(__dirname, '../../../docs/catalog.md');
const BLOCK = /<!-- catalog: (\S+) -->\n[\s\S]*?<!-- end of catalog -->/g;

function withTables(page: string): string {
  return page.replace(BLOCK, (_, topic: string) => {
    const known = CATALOG_TOPICS.find((name) => name === topic);
    const [table] = known === undefined ? [] : catalogTables(known);
    if (table === undefined) {
      throw new Error(`the catalog has no topic "${topic}"`);
    }
    const line = (cells: readonly string[]): string => `| ${cells.map(text).join(' | ')} |`;
    const head = [line(table.columns), line(table.columns.map(() => '---'))];
    return [`<!-- catalog: ${topic} -->`, ...head, ...table.rows.map(line), '<!-- end of catalog -->'].join('\n');
  });
}

/** A `<part>` that varies would vanish as an HTML tag. */
function text(cell: string): string {
  const escaped = cell.replace(/\|/g, '\\|');
  return escaped.includes('<') ? `\`${escaped}\`` : escaped;
}

test('the tables of docs/catalog.md say what the catalog says', () => {
  const page = readFileSync(PAGE, 'utf8');
  const wanted = withTables(page);
  if (process.env.UPDATE_DOCS === '1' && page !== wanted) {
    writeFileSync(PAGE, wanted);
  } else {
    expect(page).toBe(wanted);
  }
});
