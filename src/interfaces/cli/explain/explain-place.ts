/**
 * A place in a file: the findings there with the reason and the source of their rules, and the field with its type and limits.
 */
import { printable } from '../../../facts/words';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import pico from 'picocolors';
import { type Finding } from '../../../checks/report/finding';
import { findingText } from '../../../checks/report/text';
import { KnownKinds } from '../../../checks/schema/known-kinds';
import { DEFAULT_MINOR } from '../../../facts/api/kinds';
import { type JsonValue } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { isObject } from '../../../manifests/read';
import { check } from '../../checks';
import { ruleFacts } from '../../checks/rule-facts';
import { type ExplanationStyle } from './explain-messages';
import { fieldAt, fieldWords, type SchemaField } from './field-words';
import { readManifests } from '../inputs';
import { type Terminal, UsageError } from '../terminal';

/** A file, and the line in it if one is named. */
export interface FilePlace {
  readonly file: string;
  readonly line?: number;
}

interface FieldPlace {
  readonly manifest: Manifest;
  readonly path: string;
  readonly field?: SchemaField;
}

/** The place that a text names: a file, or `FILE:LINE` with an optional column; `undefined` where there is no such file. */
export function filePlace(text: string, cwd: string): FilePlace | undefined {
  if (isFile(text, cwd)) {
    return { file: text };
  }
  const [, file = '', line = ''] = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(text) ?? [];
  return file !== '' && isFile(file, cwd) ? { file, line: Number(line) } : undefined;
}

function isFile(path: string, cwd: string): boolean {
  const whole = resolve(cwd, path);
  return existsSync(whole) && statSync(whole).isFile();
}

/** @throws UsageError where the file cannot be read, or does not have the line */
export async function explainedPlace(
  { file, line }: FilePlace,
  terminal: Terminal,
  style: ExplanationStyle,
): Promise<string> {
  const set = await readManifests([file], terminal);
  const { findings } = check(set);
  const here = findings.filter((finding) => line === undefined || finding.line === line);
  const field = line === undefined ? undefined : fieldOn(set, line);
  if (line !== undefined && here.length === 0 && field === undefined) {
    throw new UsageError(`explain ${file}:${line}: the line is not part of an object`);
  }
  return style.format === 'json' ? placeJson(here, field) : placeText({ file, line }, here, field, style);
}

/** The field on a line: the deepest one that begins there, or on the nearest line above. */
function fieldOn(set: ManifestSet, line: number): FieldPlace | undefined {
  let best: { readonly manifest: Manifest; readonly path: string; readonly line: number } | undefined;
  for (const manifest of set.manifests) {
    const { locate } = manifest.origin;
    if (locate === undefined) {
      continue;
    }
    for (const path of pathsIn(manifest.object)) {
      const at = locate(path)?.line;
      if (
        at !== undefined &&
        at <= line &&
        (best === undefined || at > best.line || (at === best.line && path.length > best.path.length))
      ) {
        best = { manifest, path, line: at };
      }
    }
  }
  if (best === undefined) {
    return undefined;
  }
  const { manifest, path } = best;
  const { apiVersion, kind } = manifest.id;
  const known = new KnownKinds(DEFAULT_MINOR, [], []).lookUp(apiVersion, kind);
  const field = 'schema' in known ? fieldAt(known.schema, path, manifest.object) : undefined;
  return { manifest, path, ...(field !== undefined && { field }) };
}

/** Pointers of all values, without recursion. */
function pathsIn(root: JsonValue): readonly string[] {
  const paths: string[] = [];
  const open: (readonly [JsonValue, string])[] = [[root, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, path] = next;
    paths.push(path);
    if (Array.isArray(value)) {
      value.forEach((item, index) => open.push([item, pointer(path, index)]));
    } else if (isObject(value)) {
      Object.entries(value).forEach(([key, member]) => open.push([member, pointer(path, key)]));
    }
  }
  return paths;
}

function placeText(
  { file, line }: FilePlace,
  findings: readonly Finding[],
  place: FieldPlace | undefined,
  { color }: ExplanationStyle,
): string {
  const { bold } = pico.createColors(color);
  const blocks = findings.map((finding) => {
    const rule = ruleFacts().find(({ id }) => id === finding.rule);
    const more = rule === undefined ? '' : `    why: ${rule.why}\n    source: ${rule.source}\n`;
    return `${findingText(finding)}\n${more}`;
  });
  const none =
    findings.length === 0 ? [`${printable(file)}${line === undefined ? '' : `:${line}`}: no findings\n`] : [];
  const { manifest, path, field } = place ?? {};
  if (manifest === undefined || path === undefined) {
    return [...none, ...blocks].join('\n');
  }
  const title = `${manifest.id.apiVersion} ${manifest.id.kind} ${path === '' ? '/' : path}`;
  const rows = field === undefined ? [['schema', 'not known']] : fieldWords(field);
  const lines = rows.map(([label = '', text = '']) => `  ${label.padEnd('required'.length)}  ${printable(text)}\n`);
  return [...none, ...blocks, `${bold(printable(title))}\n${lines.join('')}`].join('\n');
}

function placeJson(findings: readonly Finding[], place: FieldPlace | undefined): string {
  const facts = findings.map((finding) => {
    const rule = ruleFacts().find(({ id }) => id === finding.rule);
    return { ...finding, ...(rule !== undefined && { why: rule.why, source: rule.source }) };
  });
  const field =
    place === undefined
      ? undefined
      : {
          apiVersion: place.manifest.id.apiVersion,
          kind: place.manifest.id.kind,
          path: place.path,
          ...(place.field !== undefined && { required: place.field.required, schema: shallow(place.field) }),
        };
  return `${JSON.stringify({ findings: facts, ...(field !== undefined && { field }) }, undefined, 2)}\n`;
}

/** Members of a schema that contain other schemas. */
const NESTED = new Set(['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not']);

/** Schemas of built-in kinds have cycles, so only the names of fields are given. */
function shallow({ schema }: SchemaField): object {
  const own = Object.entries(schema).filter(([name]) => !NESTED.has(name));
  const { properties } = schema;
  return { ...Object.fromEntries(own), ...(properties !== undefined && { fields: Object.keys(properties).sort() }) };
}
