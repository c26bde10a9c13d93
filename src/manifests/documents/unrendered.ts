/**
 * Manifests that a program completes before they are applied: variables that Flux, envsubst, or clusterctl replaces, templates of ytt and of
 * engines with braces, and Secrets that SOPS has encrypted. What a server says about them is not what it says about the result.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asObject, asString, isObject } from '../read';

/** `${name}`, `${name:=default}`; of `${a.b}` and `${1}` other programs than these make something. */
const VARIABLE = /\$\{[A-Za-z_]\w*(?::?[-=+?][^{}]*)?\}/;
/** `$NAME`, which envsubst replaces too. */
const BARE_VARIABLE = /\$[A-Za-z_]\w*/;
const BRACES = /\{\{.*?\}\}/;

/** Lines that ytt reads. */
const YTT = /^(?:.*[:\s-]\s)?\s*#@(?:\s|overlay\/|ytt:|data\/|schema\/|library\/)/m;

/** Fields in whose text `${NAME}` is for the program that reads it, and maps whose keys are not the API's. */
const TEXTS: ReadonlySet<string> = new Set([
  'annotations',
  'args',
  'binaryData',
  'command',
  'data',
  'env',
  'stringData',
]);

/** Fields of names and amounts: no server takes a variable there. */
const NAMES_AND_AMOUNTS: ReadonlySet<string> = new Set([
  'containerPort',
  'cpu',
  'host',
  'key',
  'maxReplicas',
  'memory',
  'minReplicas',
  'name',
  'namespace',
  'nodePort',
  'port',
  'replicas',
  'storage',
]);

/** Maps of labels, whose values are names. */
const MAPS_OF_NAMES: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector']);

/** How deep variables are looked for: names and amounts are not far down. */
const MAX_DEPTH = 12;

/**
 * Finds out why documents of a file are not complete manifests yet.
 *
 * @param text the text of the whole file
 * @returns the reason of a document that reaches from one place of the text to another; `undefined` if nothing in it shows that
 */
export function unrenderedIn(text: string): (value: JsonValue, from: number, to: number) => string | undefined {
  let isForYtt: boolean | undefined;
  const bare = new Occurrences(text, '$');
  const braces = new Occurrences(text, '{{');
  return (value, from, to) => {
    isForYtt ??= text.includes('#@') && YTT.test(text);
    if (isForYtt) {
      return 'a template of ytt, or an overlay for one';
    }
    if (!isObject(value)) {
      return undefined;
    }
    if (isEncrypted(value)) {
      return 'a manifest that SOPS has encrypted';
    }
    const isBare = bare.between(from, to);
    if (!isBare && !braces.between(from, to)) {
      return undefined;
    }
    const variable =
      variableOfMetadata(value, BRACES) ??
      (isBare ? (variableOfMetadata(value, VARIABLE) ?? variableOfIdentity(value)) : undefined) ??
      variableBelow(value, isOfKubernetes(value) ? [VARIABLE, BRACES] : [VARIABLE], 0);
    return variable === undefined
      ? undefined
      : `an unrendered template: ${variable} must be replaced before it is applied`;
  };
}

/** Where a text has a word. It is looked for once, as documents are asked for from the first to the last. */
class Occurrences {
  private next = -1;

  constructor(
    private readonly text: string,
    private readonly word: string,
  ) {}

  between(from: number, to: number): boolean {
    if (this.next < from) {
      const found = this.text.indexOf(this.word, from);
      this.next = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.next < to;
  }
}

function isEncrypted(value: JsonObject): boolean {
  const sops = Object.hasOwn(value, 'sops') ? value.sops : undefined;
  return isObject(sops) && (Object.hasOwn(sops, 'mac') || Object.hasOwn(sops, 'lastmodified'));
}

function variableOfMetadata(value: JsonObject, variable: RegExp): string | undefined {
  const { name, namespace, labels } = asObject(value.metadata);
  for (const text of [name, namespace, ...Object.values(asObject(labels))]) {
    const found = variable.exec(asString(text) ?? '')?.[0];
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** No server takes a dollar sign in a name. */
function variableOfIdentity(value: JsonObject): string | undefined {
  const { name, namespace } = asObject(value.metadata);
  return BARE_VARIABLE.exec(`${asString(name) ?? ''} ${asString(namespace) ?? ''}`)?.[0];
}

/** Objects that no engine fills in: Argo's workflows and ApplicationSets have expressions in braces that their controllers evaluate. */
const isOfKubernetes = ({ apiVersion }: JsonObject): boolean =>
  /^(?:(?:apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io)\/)?v\d/.test(asString(apiVersion) ?? '');

function variableBelow(
  value: JsonValue,
  forms: readonly RegExp[],
  depth: number,
  isOfNames = false,
): string | undefined {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) {
    return undefined;
  }
  for (const [key, member] of Object.entries(value)) {
    const found =
      typeof member === 'string'
        ? isOfNames || NAMES_AND_AMOUNTS.has(key)
          ? forms.map((form) => form.exec(member)?.[0]).find((one) => one !== undefined)
          : undefined
        : TEXTS.has(key)
          ? undefined
          : variableBelow(member, forms, depth + 1, MAPS_OF_NAMES.has(key));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
