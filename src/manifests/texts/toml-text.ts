/**
 * Reads TOML, with the place of every table and key.
 */
import { createRequire } from 'node:module';
import type * as Toml from 'smol-toml' with { 'resolution-mode': 'import' };
import { type JsonObject } from '../../facts/api/schema';
import { pointer } from '../pointer';
import { nearestOffset, type TextReading } from './source-text';

/** The library is loaded with the first file of its kind. */
const load = createRequire(__filename);

export function readToml(text: string): TextReading {
  const { parse, TomlError } = load('smol-toml') as typeof Toml;
  try {
    // Dates and long integers become what JSON has for them.
    const value = JSON.parse(
      JSON.stringify(parse(text), (_key, found: unknown) => (typeof found === 'bigint' ? Number(found) : found)),
    ) as JsonObject;
    return { value, offsetOf: nearestOffset(placesIn(text)) };
  } catch (error) {
    if (!(error instanceof TomlError)) {
      throw error;
    }
    const before = text.split('\n').slice(0, error.line - 1);
    return {
      broken: error.message.split('\n', 1)[0].replace(/^Invalid TOML document: /, ''),
      offset: before.join('\n').length + (before.length > 0 ? 1 : 0) + error.column - 1,
    };
  }
}

const KEY = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)/y;

/** Tables and keys at the beginning of lines, which is how such files are written; a value within a line has the position of the line. */
function placesIn(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>([['', 0]]);
  const items = new Map<string, number>();
  let table: readonly string[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const header = /^\s*(\[{1,2})/.exec(line);
    const at = header === null ? line.search(/\S/) : header[0].length;
    const keys = at < 0 ? [] : keysAt(line, at);
    if (header !== null && keys.length > 0) {
      const path = pointer('', ...keys);
      const index = items.get(path) ?? 0;
      if (header[1] === '[[') {
        items.set(path, index + 1);
      }
      table = header[1] === '[[' ? [...keys, `${index}`] : keys;
      note(places, table, start + at);
    } else if (keys.length > 0 && /^\s*[A-Za-z0-9_."'-][A-Za-z0-9_."' -]*=/.test(line)) {
      note(places, [...table, ...keys], start + at);
    }
    start += line.length + 1;
  }
  return places;
}

/** The parts of a dotted key: `plugins."io.containerd.cri.v1.runtime"`. */
function keysAt(line: string, from: number): readonly string[] {
  const keys: string[] = [];
  for (let at = from; ;) {
    while (line[at] === ' ' || line[at] === '\t') {
      at++;
    }
    KEY.lastIndex = at;
    const key = KEY.exec(line)?.[0];
    if (key === undefined) {
      return keys;
    }
    keys.push(key.startsWith('"') ? unescaped(key) : key.startsWith("'") ? key.slice(1, -1) : key);
    at += key.length;
    while (line[at] === ' ' || line[at] === '\t') {
      at++;
    }
    if (line[at] !== '.') {
      return keys;
    }
    at++;
  }
}

function unescaped(key: string): string {
  try {
    return JSON.parse(key) as string;
  } catch {
    return key.slice(1, -1);
  }
}

function note(places: Map<string, number>, keys: readonly string[], offset: number): void {
  for (let depth = 1; depth <= keys.length; depth++) {
    const path = pointer('', ...keys.slice(0, depth));
    if (!places.has(path)) {
      places.set(path, offset);
    }
  }
}
