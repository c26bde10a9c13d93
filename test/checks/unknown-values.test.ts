import { check } from '../../src/checks/engine';
import { type Report } from '../../src/checks/report/report';
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { idOf } from '../../src/manifests/identity';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { guarded, UNKNOWN } from '../../src/manifests/values/unknown';
import '../../src/interfaces/checks';

function checked(...objects: readonly JsonObject[]): Report {
  return check(
    new ManifestSet(
      objects.map((object) => ({ id: idOf(object), object: guarded(object), origin: { construct: 'a' } })),
    ),
  );
}

const errors = (report: Report): readonly string[] =>
  report.findings.filter(({ severity }) => severity === 'error').map(({ rule, path }) => `${rule} ${path}`);

const pod = (limit: JsonValue, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'research', ...more },
  spec: {
    containers: [
      { name: 'main', image: 'a:1', resources: { requests: { cpu: '4' }, limits: { cpu: limit } } },
      { name: 'Side_car', image: 'a:1' },
    ],
  },
});

describe('a manifest with values that are not known yet', () => {
  it('has no finding that depends on one, also where it would be reported at another field', () => {
    expect(errors(checked(pod('2')))).toContainEqual(expect.stringContaining('/requests/cpu'));
    expect(errors(checked(pod(UNKNOWN)))).not.toContainEqual(expect.stringContaining('/resources'));
  });

  it('keeps the findings that depend on none', () => {
    expect(errors(checked(pod(UNKNOWN)))).toContainEqual(expect.stringContaining('/containers/1/name'));
    const typo = { ...pod(UNKNOWN), spec: { ...(pod(UNKNOWN).spec as JsonObject), replica: 1 } };
    expect(errors(checked(typo))).toContain('schema/unknown-field /spec/replica');
  });

  it('counts the rules that were not judged, with their objects', () => {
    expect(checked(pod('2')).notJudged).toBeUndefined();
    const { notJudged = [], notChecked } = checked(pod(UNKNOWN));
    expect(notJudged.length).toBeGreaterThan(0);
    expect(notJudged[0]).toMatchObject({ object: 'v1 Pod research/p', construct: 'a' });
    expect(notChecked).toEqual([]);
  });

  it('is not missing what is unknown, in built-in kinds and in custom resources', () => {
    const queue = (spec: JsonObject): JsonObject => ({
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      kind: 'Queue',
      metadata: { name: 'q', labels: UNKNOWN },
      spec,
    });
    expect(errors(checked(queue({ weight: UNKNOWN, capability: { cpu: UNKNOWN } })))).toEqual([]);
    expect(errors(checked(queue({ weight: 'many', capability: { cpu: UNKNOWN } })))).toEqual([
      'schema/type /spec/weight',
    ]);
    const claim: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: UNKNOWN },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: UNKNOWN } } },
    };
    expect(errors(checked(claim))).toEqual([]);
  });

  it('does not hide what other objects have', () => {
    expect(errors(checked(pod(UNKNOWN), pod('2', { name: 'other' })))).toContainEqual(
      expect.stringContaining('/requests/cpu'),
    );
  });
});
