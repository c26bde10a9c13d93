/**
 * What is proposed for an unknown field: only what can be written there.
 */
import { type JsonObject, type Schema } from '../../../src/facts/api/schema';
import { checkCustomResource } from '../../../src/checks/schema/custom-resource';
import { ViolationList } from '../../../src/checks/schema/violation-list';

const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const STRING: Schema = { type: 'string' };
const INTEGER: Schema = { type: 'integer' };
const STRINGS: Schema = { type: 'object', additionalProperties: STRING };

function fixOf(spec: JsonObject, schema: Schema): string | undefined {
  const list = new ViolationList();
  checkCustomResource({ spec }, object({ spec: schema }), false, list, { minor: 36 });
  return list.violations.find(({ rule }) => rule === 'schema/unknown-field')?.fix;
}

test.each<readonly [string, JsonObject, Schema, string]>([
  ['a similar name', { nam: 'a' }, object({ name: STRING }), 'Rename the field "nam" to "name", or remove it.'],
  ['a similar name that is set', { nam: 'a', name: 'b' }, object({ name: STRING }), 'Remove the field "nam".'],
  ['a similar name of another type', { nam: 'a' }, object({ name: INTEGER }), 'Remove the field "nam".'],
  ['an integer for a string', { nam: 1 }, object({ name: STRING }), 'Remove the field "nam".'],
  ['a fraction for an integer', { siz: 1.5 }, object({ size: INTEGER }), 'Remove the field "siz".'],
  ['a number', { siz: 1 }, object({ size: { type: 'number' } }), 'Rename the field "siz" to "size", or remove it.'],
  [
    'one word less',
    { node: 'a' },
    object({ nodeName: STRING }),
    'Rename the field "node" to "nodeName", or remove it.',
  ],
  ['two words less', { pod: 'a' }, object({ podTemplateName: STRING }), 'Remove the field "pod".'],
  ['one word less than two', { node: 'a' }, object({ nodeName: STRING, nodePool: STRING }), 'Remove the field "node".'],
  [
    'one word less than two, of which one takes the value',
    { node: 'a' },
    object({ nodeName: STRING, nodePort: INTEGER }),
    'Rename the field "node" to "nodeName", or remove it.',
  ],
  [
    'one word less than one that is set',
    { node: 'a', nodeName: 'b' },
    object({ nodeName: STRING }),
    'Remove the field "node".',
  ],
  ['one word less than one of any type', { node: 'a' }, object({ nodeAnything: {} }), 'Remove the field "node".'],
  ['a part of a word less', { pre: 'a' }, object({ prefixes: STRING }), 'Remove the field "pre".'],
  [
    'another number',
    { policies: 'a' },
    object({ policy: STRING }),
    'Rename the field "policies" to "policy", or remove it.',
  ],
  [
    'one word less beside the name one level below',
    { node: 'a' },
    object({ nodeName: STRING, target: object({ node: STRING }) }),
    'Move the field "node" to spec.target, or remove it.',
  ],
  ['another name', { other: 'a' }, object({ name: STRING, kind: STRING }), 'Remove the field "other".'],
  ['no fields', { other: 'a' }, object({}), 'Remove the field "other".'],
  [
    'a field one level below',
    { replicas: 1 },
    object({ scale: object({ replicas: INTEGER }), name: STRING }),
    'Move the field "replicas" to spec.scale, or remove it.',
  ],
  [
    'a field one level below that is set',
    { replicas: 1, scale: { replicas: 2 } },
    object({ scale: object({ replicas: INTEGER }) }),
    'Remove the field "replicas".',
  ],
  [
    'a field of two objects below',
    { replicas: 1 },
    object({ one: object({ replicas: INTEGER }), two: object({ replicas: INTEGER }) }),
    'Remove the field "replicas".',
  ],
  [
    'a field of the pod in a template',
    { nodeName: 'a' },
    object({ template: object({ spec: object({ nodeName: STRING }) }) }),
    'Move the field "nodeName" to spec.template.spec, or remove it.',
  ],
  [
    'a label in place of a selector',
    { 'gpu/x': 'a' },
    object({ matchLabels: STRINGS, matchExpressions: { type: 'array', items: STRING } }),
    'Move the field "gpu/x" to spec.matchLabels, or remove it.',
  ],
])('%s', (_what, spec, schema, fix) => {
  expect(fixOf(spec, schema)).toBe(fix);
});
