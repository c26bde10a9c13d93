/**
 * Lines and columns of a text, and what a reader of texts (YAML or JSON) answers.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Position, type SourceProblem } from '../manifest';

/** A problem as a reader sees it: by offset, and not yet of any manifest. */
export interface TextProblem {
  readonly kind: SourceProblem['kind'];
  readonly offset: number;
  readonly message: string;
  /** JSON pointer within the document. */
  readonly path?: string;
}

/** One document of a text. */
export interface TextDocument {
  /** 0-based, empty documents counted. */
  readonly index: number;
  /** Offset of its first line. */
  readonly start: number;
  /** `undefined` where the document is broken. */
  readonly value: JsonValue | undefined;
  readonly problems: readonly TextProblem[];
  /** Offset of the value (of its key, for a map's member) at a pointer, or of the nearest parent that is in the text. */
  readonly offsetOf: (pointer: string) => number;
}

/** A text that is one object: what it says and where, or what kept it from being read. */
export type TextReading =
  | { readonly value: JsonObject; readonly offsetOf: (path: string) => number }
  | { readonly broken: string; readonly offset: number };

/** The offset of a JSON pointer, or of the nearest parent that is in the text. */
export function nearestOffset(offsets: ReadonlyMap<string, number>): (path: string) => number {
  return (path) => {
    let at = path;
    while (at !== '' && !offsets.has(at)) {
      at = at.slice(0, at.lastIndexOf('/'));
    }
    return offsets.get(at) ?? 0;
  };
}

/** Finds lines by binary search; the table of line starts is made when it is first asked for. */
export class LineTable {
  private starts?: number[];

  constructor(private readonly text: string) {}

  positionOf(offset: number): Position {
    const starts = (this.starts ??= this.lineStarts());
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low + 1, column: offset - starts[low] + 1 };
  }

  private lineStarts(): number[] {
    const starts = [0];
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) {
      starts.push(at + 1);
    }
    return starts;
  }
}

/** How many parsed documents are kept for finding places: findings of one object come together, and a large set has many objects. */
const KEPT = 16;

/** Remembers what was made for the last few keys. */
export function remembered<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.has(key) ? known.get(key)! : make(key);
    known.delete(key);
    known.set(key, value);
    if (known.size > KEPT) {
      known.delete(known.keys().next().value as K);
    }
    return value;
  };
}
