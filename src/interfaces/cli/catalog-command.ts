/**
 * `gantry catalog [NAME]`: accelerators, MIG profiles, resource names, labels, and other facts.
 */
import pico from 'picocolors';
import {
  CATALOG_TOPICS,
  catalogEntries,
  catalogSuggestions,
  catalogTables,
  type CatalogEntry,
  type CatalogTable,
} from '../../facts/catalog';
import { oneOf } from './check/check-options';
import { table } from './table';
import { UsageError, wantsColor, type Terminal } from './terminal';

export interface CatalogFlags {
  readonly format?: string;
  readonly color?: boolean;
}

/**
 * Shows all tables, those of a topic, or everything under a name.
 *
 * @throws UsageError for a name that the catalog does not have; it says which come near
 */
export function catalogCommand(name: string | undefined, flags: CatalogFlags, terminal: Terminal): number {
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, ['text', 'json'], 'format');
  const topic = CATALOG_TOPICS.find((candidate) => candidate === name?.toLowerCase());
  const tables = name === undefined || topic !== undefined ? catalogTables(topic) : [];
  const entries = name === undefined || topic !== undefined ? [] : catalogEntries(name);
  if (name !== undefined && tables.length === 0 && entries.length === 0) {
    throw new UsageError(unknownName(name));
  }
  if (format === 'json') {
    terminal.out(
      `${JSON.stringify(tables.length > 0 ? tables.map(tableJson) : entries.map(entryJson), undefined, 2)}\n`,
    );
  } else {
    terminal.out(
      [
        ...tables.map((found) => tableText(found, flags, terminal)),
        ...entries.map((found) => entryText(found, flags, terminal)),
      ].join('\n'),
    );
  }
  return 0;
}

function unknownName(name: string): string {
  const near = catalogSuggestions(name);
  return `catalog ${name}: not found${near.length > 0 ? ` (did you mean ${near.join(', ')}?)` : `; topics are ${CATALOG_TOPICS.join(', ')}`}`;
}

function tableText({ title, columns, rows }: CatalogTable, flags: CatalogFlags, terminal: Terminal): string {
  const color = wantsColor(terminal, flags.color);
  return `${pico.createColors(color).underline(title)}\n${table(columns, rows, { color, width: terminal.columns })}`;
}

function entryText({ name, facts, tables }: CatalogEntry, flags: CatalogFlags, terminal: Terminal): string {
  const { bold } = pico.createColors(wantsColor(terminal, flags.color));
  const width = Math.max(0, ...facts.map(([label]) => label.length));
  const lines = facts.map(([label, value]) => `  ${label.padEnd(width)}  ${value}\n`);
  return [`${bold(name)}\n${lines.join('')}`, ...tables.map((found) => tableText(found, flags, terminal))].join('\n');
}

/** Rows as objects, so that a reader of the JSON need not count columns. */
function tableJson({ topic, title, columns, rows }: CatalogTable): object {
  return {
    topic,
    title,
    rows: rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? '']))),
  };
}

function entryJson({ topic, name, facts, tables }: CatalogEntry): object {
  return { topic, name, facts: Object.fromEntries(facts), tables: tables.map(tableJson) };
}
