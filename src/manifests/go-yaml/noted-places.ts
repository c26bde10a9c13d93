/**
 * Where the values of a document begin, noted while it is read.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';

/** Where the members of maps and the items of lists begin. */
export class NotedPlaces {
  root = 0;
  private readonly starts = new Map<JsonValue, Map<string | number, number>>();

  note(container: JsonObject | readonly JsonValue[], step: string | number, start: number): void {
    let steps = this.starts.get(container as JsonValue);
    if (steps === undefined) {
      this.starts.set(container as JsonValue, (steps = new Map<string | number, number>()));
    }
    steps.set(step, start);
  }

  placeOf(root: JsonValue, tokens: readonly string[]): number {
    let place = this.root;
    let value = root;
    for (const token of tokens) {
      const step = Array.isArray(value) && /^\d+$/.test(token) ? Number(token) : token;
      const start = this.starts.get(value)?.get(step);
      if (start === undefined) {
        return place;
      }
      place = start;
      value = (value as Readonly<Record<string | number, JsonValue>>)[step];
    }
    return place;
  }
}
