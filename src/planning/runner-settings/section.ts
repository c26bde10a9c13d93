/**
 * A part of a configuration, read field by field. What is wrong is noted with its place, and reading goes on.
 */
import { nearestName } from '../../facts/spelling';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { pointer } from '../../manifests/pointer';
import { parseQuantity } from '../../manifests/values/quantity';
import { isObject } from '../../manifests/read';

/** A mistake of a configuration. */
export interface Fault {
  /** JSON pointer of the value. */
  readonly path: string;
  /** The same place for people, such as `tenants.alice.weight`; empty for the whole file. */
  readonly place: string;
  readonly message: string;
  readonly found?: JsonValue;
  /** A known name that is close to an unknown one. */
  readonly suggestion?: string;
  /** What to do, one imperative sentence, where more is known than for any field. */
  readonly fix?: string;
}

/** No device, host, or tenant has less memory than this, and more than none. */
const LEAST_BYTES = 2 ** 20;

export class Section {
  /** @param place as people write it, empty for the whole file */
  constructor(
    private readonly value: JsonObject,
    private readonly faults: Fault[],
    private readonly place = '',
    private readonly path = '',
  ) {}

  /** Names of its fields. */
  get names(): readonly string[] {
    return Object.keys(this.value);
  }

  has(field: string): boolean {
    return this.raw(field) !== undefined;
  }

  /** A field that is set; `null` is not. */
  raw(field: string): JsonValue | undefined {
    return Object.hasOwn(this.value, field) ? (this.value[field] ?? undefined) : undefined;
  }

  /** Notes each field that is not one of these. */
  known(fields: readonly string[]): this {
    for (const field of this.names.filter((name) => !fields.includes(name))) {
      const suggestion = nearestName(field, fields);
      this.faults.push({
        path: pointer(this.path, field),
        place: this.place,
        message: `unknown field "${field}"`,
        found: this.value[field],
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    }
    return this;
  }

  /** Notes what is wrong with a field that is set. */
  fault(field: string, message: string, fix?: string): undefined {
    const found = this.raw(field);
    this.faults.push({
      path: pointer(this.path, field),
      place: this.at(field),
      message,
      ...(found === undefined ? {} : { found }),
      ...(fix === undefined ? {} : { fix }),
    });
    return undefined;
  }

  /** Notes what is wrong with the section itself. */
  faultHere(message: string): undefined {
    this.faults.push({ path: this.path, place: this.place, message, found: this.value });
    return undefined;
  }

  /** The object of a field, empty where there is none. */
  section(field: string): Section {
    const found = this.raw(field);
    if (found !== undefined && !isObject(found)) {
      this.fault(field, 'must be an object');
    }
    return new Section(isObject(found) ? found : {}, this.faults, this.at(field), pointer(this.path, field));
  }

  /** The objects of a list. @param expected what the entries are */
  sections(field: string, expected?: string): readonly Section[] | undefined {
    const found = this.raw(field);
    if (found === undefined) {
      return undefined;
    }
    if (!Array.isArray(found)) {
      return this.fault(field, `must be a list${expected === undefined ? '' : ` of ${expected}`}`);
    }
    return found.flatMap((entry, index) => {
      const [place, path] = [`${this.at(field)}[${index}]`, pointer(this.path, field, index)];
      if (isObject(entry)) {
        return [new Section(entry, this.faults, place, path)];
      }
      this.faults.push({ path, place, message: `must be ${expected ?? 'an object'}`, found: entry });
      return [];
    });
  }

  text(field: string): string | undefined {
    const found = this.raw(field);
    return found === undefined || (typeof found === 'string' && found !== '')
      ? found
      : this.fault(field, 'must be a string');
  }

  flag(field: string): boolean | undefined {
    const found = this.raw(field);
    return found === undefined || typeof found === 'boolean' ? found : this.fault(field, 'must be true or false');
  }

  amount(field: string): number | undefined {
    const found = this.raw(field);
    return found === undefined || (typeof found === 'number' && found >= 0 && Number.isFinite(found))
      ? found
      : this.fault(field, 'must be a number greater than or equal to 0');
  }

  count(field: string): number | undefined {
    const found = this.amount(field);
    return found === undefined || Number.isSafeInteger(found) ? found : this.fault(field, 'must be a whole number');
  }

  bytes(field: string): number | undefined {
    const found = this.raw(field);
    if (found === undefined) {
      return undefined;
    }
    const quantity = typeof found === 'string' || typeof found === 'number' ? parseQuantity(found) : undefined;
    const number = quantity === undefined ? Number.NaN : quantity.toNumber();
    if (!(number >= 0)) {
      return this.fault(field, 'must be a quantity such as 64Gi');
    }
    // A number without its unit is a quantity too, of so many bytes.
    return number === 0 || number >= LEAST_BYTES
      ? Math.floor(number)
      : this.fault(
          field,
          `must have a unit, such as 64Gi: ${JSON.stringify(found)} is less than 1Mi`,
          `Set ${field} to a quantity with its unit, such as 64Gi.`,
        );
  }

  private at(field: string): string {
    return this.place === '' ? field : `${this.place}.${field}`;
  }
}
