/**
 * A folder may have several definitions of one kind: channels, versions, charts. An object is for one of them.
 */
import { check, readManifests } from '../../../src/interfaces/checks';

const crd = (fields: string, served = true, version = 'v1'): string => `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions: [{name: ${version}, served: ${served}, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}}}}}]
`;

const widget = (spec: string): string => `---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {${spec}}
`;

const STANDARD = crd('size: {type: integer}');
const EXPERIMENTAL = crd('size: {type: integer}, color: {type: string}');

function rules(...texts: readonly string[]): readonly string[] {
  const { findings } = check(readManifests(texts.join('')));
  return findings.filter(({ object }) => object.includes('Widget w')).map(({ rule }) => rule);
}

test.each([
  ['first', [EXPERIMENTAL, STANDARD]],
  ['last', [STANDARD, EXPERIMENTAL]],
  ['repeated', [EXPERIMENTAL, STANDARD, STANDARD]],
])('an object that one of them accepts is right, where that one is %s', (_, definitions) => {
  expect(rules(...definitions, widget('size: 1, color: red'))).toEqual([]);
});

test('what all of them reject is reported once, by the one that has the least to reject', () => {
  expect(rules(EXPERIMENTAL, STANDARD, widget('size: big, color: red'))).toEqual(['schema/type']);
  expect(rules(STANDARD, EXPERIMENTAL, widget('size: 1, tint: red'))).toEqual(['schema/unknown-field']);
});

test.each([
  [[crd('size: {type: integer}', true), crd('size: {type: integer}', false)]],
  [[crd('size: {type: integer}', false), crd('size: {type: integer}', true)]],
])('a version that one of them serves is served', (definitions) => {
  expect(rules(...definitions, widget('size: 1'))).toEqual([]);
});

test('a definition that the caller passes is the only one that counts', () => {
  const { findings } = check(readManifests(EXPERIMENTAL + widget('color: red')), {
    crds: readManifests(STANDARD).manifests.map(({ object }) => object),
  });
  expect(findings.map(({ rule }) => rule)).toEqual(['schema/unknown-field']);
});
