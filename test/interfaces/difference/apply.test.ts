import { parse } from 'yaml';
import { type JsonObject, type Schema } from '../../../src/facts/api/schema';
import { findKind } from '../../../src/facts/api/kinds';
import { loadSchema } from '../../../src/facts/api/schemas';
import { appliedTo } from '../../../src/interfaces/difference/apply/server-side-apply';
import { asArray, asObject } from '../../../src/manifests/read';

const DEPLOYMENT = loadSchema(findKind('apps/v1', 'Deployment')!, '1.35');

/** What becomes of an object, and the conflicts as `MANAGER place`. */
function apply(
  live: string,
  manifest: string,
  { schema = DEPLOYMENT, manager = 'kubectl' }: { readonly schema?: Schema; readonly manager?: string } = {},
): { readonly object: JsonObject; readonly conflicts: readonly string[] } {
  const { object, conflicts } = appliedTo(parse(live) as JsonObject, parse(manifest) as JsonObject, schema, manager);
  return { object, conflicts: conflicts.map(({ manager: other, place }) => `${other} ${place.join('.')}`) };
}

const entry = (fields: string, manager = 'kubectl', operation = 'Apply'): string =>
  `{manager: ${manager}, operation: ${operation}, fieldsType: FieldsV1, fieldsV1: ${fields}}`;

/** A container list in which `main` and the fields within are of the manager. */
const CONTAINERS = `{"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:name": {}, "f:image": {}}}}}}}`;
const spec = (containers: string): string => `spec: {template: {spec: {containers: ${containers}}}}`;

describe('server-side apply', () => {
  it('sets what the manifest sets, and keeps what the manager did not set', () => {
    const live = `{metadata: {managedFields: [${entry('{"f:spec": {"f:replicas": {}}}')}]}, spec: {replicas: 2, paused: true}}`;
    expect(apply(live, '{spec: {replicas: 3}}').object.spec).toEqual({ replicas: 3, paused: true });
  });

  it('removes what the manager set before and no longer sets, unless another manager owns it', () => {
    const own = entry('{"f:spec": {"f:replicas": {}, "f:paused": {}}}');
    const other = entry('{"f:spec": {"f:paused": {}}}', 'other', 'Update');
    const live = `{metadata: {managedFields: [${own}, ${other}]}, spec: {replicas: 2, paused: true, minReadySeconds: 1}}`;
    expect(apply(live, '{spec: {minReadySeconds: 1}}').object.spec).toEqual({ paused: true, minReadySeconds: 1 });
  });

  it('takes over what kubectl apply set without --server-side', () => {
    const live = `{metadata: {managedFields: [${entry('{"f:spec": {"f:paused": {}}}', 'kubectl-client-side-apply', 'Update')}]}, spec: {paused: true, replicas: 1}}`;
    expect(apply(live, '{spec: {replicas: 1}}').object.spec).toEqual({ replicas: 1 });
    expect(apply(live, '{spec: {replicas: 1}}', { manager: 'argocd' }).object.spec).toEqual({
      replicas: 1,
      paused: true,
    });
  });

  it('merges items of keyed lists by their keys, in the order of the manifest', () => {
    const live = `{metadata: {managedFields: [${entry(CONTAINERS)}]}, ${spec('[{name: injected, image: i}, {name: main, image: a, tty: true}]')}}`;
    const { object } = apply(live, spec('[{name: side, image: s}, {name: main, image: b}]'));
    expect(asObject(asObject(asObject(object.spec).template).spec).containers).toEqual([
      { name: 'injected', image: 'i' },
      { name: 'side', image: 's' },
      { name: 'main', image: 'b', tty: true },
    ]);
  });

  it('removes an item of a keyed list with all that the server added to it', () => {
    const live = `{metadata: {managedFields: [${entry(CONTAINERS)}]}, ${spec('[{name: main, image: a, terminationMessagePolicy: File}, {name: other, image: o}]')}}`;
    const { object } = apply(live, spec('[{name: other, image: o}]'));
    const { containers } = asObject(asObject(asObject(object.spec).template).spec);
    expect(asArray(containers).map((container) => asObject(container).name)).toEqual(['other']);
  });

  it('replaces lists and objects that are atomic', () => {
    const live = `{metadata: {}, spec: {selector: {matchLabels: {a: b, c: d}}, template: {spec: {tolerations: [{key: a}, {key: b}]}}}}`;
    const { object } = apply(
      live,
      '{spec: {selector: {matchLabels: {a: x}}, template: {spec: {tolerations: [{key: c}]}}}}',
    );
    expect(object.spec).toEqual({
      selector: { matchLabels: { a: 'x' } },
      template: { spec: { tolerations: [{ key: 'c' }] } },
    });
  });

  it('leaves null where nothing is left of an object that the manifest sets empty', () => {
    const live = `{metadata: {managedFields: [${entry('{"f:spec": {"f:strategy": {"f:type": {}}}}')}]}, spec: {strategy: {type: Recreate}}}`;
    expect(apply(live, '{spec: {strategy: {}}}').object.spec).toEqual({ strategy: null });
  });

  it('finds each field that it changes and another manager owns', () => {
    const other = entry(
      '{"f:spec": {"f:replicas": {}, "f:paused": {}}, "f:metadata": {"f:labels": {"f:team": {}}}}',
      'scaler',
      'Update',
    );
    const live = `{metadata: {labels: {team: a}, managedFields: [${other}]}, spec: {replicas: 2, paused: true}}`;
    expect(apply(live, '{metadata: {labels: {team: b}}, spec: {replicas: 3, paused: true}}').conflicts).toEqual([
      'scaler metadata.labels.team',
      'scaler spec.replicas',
    ]);
  });

  it('names the place of a conflict in a list', () => {
    const live = `{metadata: {managedFields: [${entry(CONTAINERS, 'other')}]}, ${spec('[{name: side, image: s}, {name: main, image: a}]')}}`;
    expect(apply(live, spec('[{name: main, image: b}]')).conflicts).toEqual([
      'other spec.template.spec.containers.1.image',
    ]);
  });

  it('ignores the status and what only the server writes', () => {
    const live = '{metadata: {uid: a, generation: 2}, spec: {replicas: 1}, status: {replicas: 1}}';
    const { object } = apply(live, '{metadata: {uid: b, generation: 9}, spec: {replicas: 1}, status: {replicas: 7}}');
    expect(object).toMatchObject({ metadata: { uid: 'a', generation: 2 }, status: { replicas: 1 } });
  });

  it('does not take a name that objects inherit for a field of the schema', () => {
    const live = `{metadata: {managedFields: [${entry('{"f:spec": {"f:constructor": {"f:a": {}}}}')}]}, spec: {constructor: {a: 1, b: 2}}}`;
    expect(apply(live, '{spec: {replicas: 1}}').object.spec).toEqual({ constructor: { b: 2 }, replicas: 1 });
  });

  it('takes managed fields of any form', () => {
    for (const fields of [
      '[1]',
      '{manager: 1}',
      '[{manager: kubectl, operation: Apply, fieldsV1: {"k:{": {"f:a": 3}}}]',
    ]) {
      expect(
        apply(`{metadata: {managedFields: ${fields}}, spec: {replicas: 1}}`, '{spec: {replicas: 2}}').object,
      ).toMatchObject({
        spec: { replicas: 2 },
      });
    }
  });
});
