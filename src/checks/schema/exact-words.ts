/**
 * What to write in a field, in words that are more exact than the type of the schema: the range of a port, a quantity that its resource can have.
 */
import { type JsonValue, type Schema } from '../../facts/api/schema';
import { asYaml } from '../../facts/words';
import { tokensOf } from '../../manifests/pointer';

/** How an expectation or a fix names a quantity; `exactWords` puts an example for the resource in its place. */
export const A_QUANTITY = 'a `quantity`';

const PORT = /^(?:port|containerPort|hostPort|nodePort)$/;
/** Knative's durations in autoscaling.internal.knative.dev, which are integers of Go. */
const NANOSECONDS = /^(?:panicWindow|stableWindow)$/;
const PORT_RANGE = 'an integer from 1 to 65535';
const BYTES = /(?:^|\.)(?:memory|storage|ephemeral-storage)$|(?:^|\.)hugepages-/;

/** Whether the name of the field says which integers it takes. */
export function hasKnownRange(path: string): boolean {
  const last = tokensOf(path).at(-1) ?? '';
  return PORT.test(last) || NANOSECONDS.test(last);
}

/** The text about the field at the path, with what is known of the field by its name. */
export function exactWords(text: string, path: string): string {
  const last = tokensOf(path).at(-1) ?? '';
  const said = text.includes(A_QUANTITY) ? text.replaceAll(A_QUANTITY, quantityOf(last)) : text;
  if (NANOSECONDS.test(last)) {
    return said.replace(/\ban integer(?=[.,]|$)/, 'a number of nanoseconds such as 6000000000 (6s)');
  }
  return PORT.test(last) ? said.replace(/\ban integer(?=[.,]|$)/, PORT_RANGE) : said;
}

/** A value of an enum, as a manifest writes it. */
export function written(value: JsonValue): string {
  return typeof value === 'string' ? asYaml(value) : JSON.stringify(value);
}

/** Names of fields that read as words of the sentence. */
const READS_AS_WORD = /^(?:all|any|each|exactly|for|from|if|in|is|not|on|to|when|with)$/;

/** The name of a field in a sentence. */
export function fieldWord(name: string): string {
  return READS_AS_WORD.test(name) ? `"${name}"` : name;
}

/** Extended resources are counted, which admits neither fractions nor bytes. */
function quantityOf(resource: string): string {
  if (resource.includes('/')) {
    return 'an integer such as 1';
  }
  if (resource === 'weight') {
    return 'a number such as 1, 2, or 500m';
  }
  if (BYTES.test(resource)) {
    return 'a quantity such as 512Mi or 8Gi';
  }
  return /(?:^|\.)cpu$/.test(resource) ? 'a quantity such as 500m or 2' : 'a quantity such as 2, 500m, or 16Gi';
}

/** The bounds of a number, to follow its type: ` from 1 to 100`, ` of at least 1`; empty without bounds. */
export function boundWords({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string {
  if (exclusiveMinimum === true || exclusiveMaximum === true || (minimum === undefined && maximum === undefined)) {
    return '';
  }
  if (minimum !== undefined && maximum !== undefined) {
    return ` from ${minimum} to ${maximum}`;
  }
  return minimum === undefined ? ` of at most ${maximum}` : ` of at least ${minimum}`;
}
