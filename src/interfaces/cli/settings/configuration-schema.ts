/**
 * What `.gantry.yaml` may say, once for everybody: the command line reads the file by this schema, and editors get it as JSON Schema
 * (`schemas/gantry.schema.json`, written by `npm run generate:docs`).
 */
import { KUBERNETES_MINORS } from '../../../facts/api/kinds';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { allOf } from '../../../facts/words';
import { isObject } from '../../../manifests/read';
import { pointer } from '../../../manifests/pointer';

/** The part of JSON Schema that the file needs. */
export interface FileSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type: 'object' | 'array' | 'string' | 'boolean';
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly items?: FileSchema;
  readonly properties?: Readonly<Record<string, FileSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | FileSchema;
}

const texts = (description: string): FileSchema => ({
  type: 'array',
  description,
  items: { type: 'string', minLength: 1 },
});

export const CONFIGURATION_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Gantry',
  description: 'Settings of gantry check and gantry synth. Paths start from the folder of this file.',
  type: 'object',
  additionalProperties: false,
  properties: {
    include: texts('Files, folders, and globs that gantry check reads if no path is given.'),
    exclude: texts('Globs of files and folders to skip, such as "**/testdata/**".'),
    k8s: { type: 'string', description: 'Kubernetes minor version of the target cluster.', enum: KUBERNETES_MINORS },
    crds: texts('Files and folders with CustomResourceDefinitions of kinds that Gantry does not know.'),
    rules: {
      type: 'object',
      description: 'Severity of rules, by id, such as "pods/variable-defined".',
      additionalProperties: {
        type: 'object',
        description: 'The severity of a rule, and the reason for it.',
        additionalProperties: false,
        required: ['severity', 'reason'],
        properties: {
          severity: {
            type: 'string',
            description: 'How findings of the rule are reported; "off" suppresses them.',
            enum: ['error', 'warning', 'info', 'off'],
          },
          reason: { type: 'string', description: 'Why the rule has another severity here.', minLength: 1 },
        },
      },
    },
    'rule-modules': texts('Modules that export your own rules as `rules` or as the default export.'),
    'fail-on': {
      type: 'array',
      description:
        'What makes the exit status 1: findings of this severity or above, and objects that were not checked.',
      items: { type: 'string', enum: ['error', 'warning', 'info', 'not-checked'] },
    },
    hygiene: {
      type: 'boolean',
      description: 'Whether to run the rules on workload hygiene: security, images, requests, later API removals.',
    },
    baseline: { type: 'string', description: 'File with the findings to suppress.', minLength: 1 },
  },
} as const satisfies FileSchema;

export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Everything that is wrong with a value, in the order of the value. */
export function problemsOf(value: JsonValue, schema: FileSchema, path = ''): readonly SchemaProblem[] {
  const problem = (message: string, at = path): SchemaProblem => ({ path: at, message });
  switch (schema.type) {
    case 'string':
      return stringProblems(value, schema).map((message) => problem(message));
    case 'boolean':
      return typeof value === 'boolean' ? [] : [problem('must be true or false')];
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((item, index) =>
            schema.items === undefined ? [] : problemsOf(item, schema.items, `${path}/${index}`),
          )
        : [problem('must be a list')];
    case 'object':
      return isObject(value) ? objectProblems(value, schema, path) : [problem(mapOf(schema))];
  }
}

function mapOf({ required = [] }: FileSchema): string {
  return `must be a map${required.length === 0 ? '' : ` with ${allOf(required)}`}`;
}

function stringProblems(value: JsonValue, { enum: allowed, minLength = 0 }: FileSchema): readonly string[] {
  if (typeof value !== 'string') {
    return [`must be a string${unquotedHint(value, allowed)}`];
  }
  if (allowed !== undefined && !allowed.includes(value)) {
    return [`has the unsupported value ${JSON.stringify(value)}; supported values are ${allowed.join(', ')}`];
  }
  return value.trim().length < minLength ? ['must not be empty'] : [];
}

/** YAML reads `1.30` as a number, and `off` as false. */
function unquotedHint(value: JsonValue, allowed: FileSchema['enum']): string {
  if (value === false && allowed?.includes('off') === true) {
    return "; write 'off' in quotation marks, because YAML reads off as false";
  }
  return typeof value === 'number' || typeof value === 'boolean' ? '; put it in quotation marks' : '';
}

function objectProblems(value: JsonObject, schema: FileSchema, path: string): readonly SchemaProblem[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: pointer(path, name), message: 'is required' }));
  const members = Object.entries(value).flatMap(([name, member]) => {
    const at = pointer(path, name);
    if (Object.hasOwn(properties, name)) {
      return problemsOf(member, properties[name], at);
    }
    return typeof additionalProperties === 'object'
      ? problemsOf(member, additionalProperties, at)
      : [{ path: at, message: `is an unknown field; known fields are ${Object.keys(properties).join(', ')}` }];
  });
  return [...missing, ...members];
}
