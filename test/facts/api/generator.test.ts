import { brotliDecompressSync } from 'zlib';
import { apiFiles, type ApiFiles, type ApiSources } from '../../../projen/api/api-files';
import { type KubernetesMinor } from '../../../src/facts/api/schema';

const PREFIX = '#/components/schemas/';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** An OpenAPI v3 file with a Pod, cut down to what the tests need. */
function openApi(podSpec: Record<string, unknown> = {}): string {
  const ref = (name: string): object => ({ allOf: [{ $ref: PREFIX + name }], default: {}, description: 'prose' });
  const gvk = { group: '', version: 'v1', kind: 'Pod' };
  return JSON.stringify({
    paths: {
      '/api/v1/pods': { get: { 'x-kubernetes-group-version-kind': gvk } },
      '/api/v1/namespaces/{namespace}/pods': { post: { 'x-kubernetes-group-version-kind': gvk } },
      '/api/v1/namespaces/{namespace}/pods/{name}/status': { put: { 'x-kubernetes-group-version-kind': gvk } },
    },
    components: {
      schemas: {
        [OBJECT_META]: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            labels: { type: 'object', additionalProperties: { type: 'string', default: '' } },
          },
        },
        'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
        'io.k8s.api.core.v1.Container': {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', default: '', description: 'prose' },
            image: { type: 'string' },
            command: { type: 'array', items: { type: 'string', default: '' } },
            protocol: { type: 'string', default: 'TCP' },
          },
        },
        'io.k8s.api.core.v1.PodSpec': {
          type: 'object',
          required: ['containers'],
          properties: {
            containers: { type: 'array', items: ref('io.k8s.api.core.v1.Container') },
            overhead: {
              type: 'object',
              additionalProperties: { $ref: `${PREFIX}io.k8s.apimachinery.pkg.api.resource.Quantity` },
            },
            ...podSpec,
          },
        },
        'io.k8s.api.core.v1.PodTemplateSpec': {
          type: 'object',
          properties: { metadata: ref(OBJECT_META), spec: ref('io.k8s.api.core.v1.PodSpec') },
        },
        'io.k8s.api.core.v1.Pod': {
          type: 'object',
          'x-kubernetes-group-version-kind': [gvk],
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: ref(OBJECT_META),
            spec: ref('io.k8s.api.core.v1.PodSpec'),
            template: ref('io.k8s.api.core.v1.PodTemplateSpec'),
          },
        },
      },
    },
  });
}

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: trains.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Train, plural: trains }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          description: prose
          properties:
            apiVersion: { type: string }
            kind: { type: string }
            metadata: { type: object }
            spec:
              type: object
              required: [wagons, gauge, cargo]
              x-kubernetes-validations:
                - { rule: 'self.wagons.size() > 0', message: prose, reason: FieldValueInvalid }
              properties:
                gauge: { type: integer, minimum: 600, maximum: 1676, default: 1435 }
                cargo: { anyOf: [{ type: integer }, { type: string }], x-kubernetes-int-or-string: true, pattern: '^[0-9]+[KMGTPE]?$' }
                color: { type: string, enum: [red, green] }
                wagons:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: { type: string }
                      template:
                        type: object
                        properties:
                          metadata: { type: object }
                          spec:
                            type: object
                            required: [containers]
                            properties:
                              containers:
                                type: array
                                items:
                                  type: object
                                  required: [name]
                                  properties:
                                    name: { type: string }
                                    image: { type: string }
                                    command: { type: array, items: { type: string } }
                                    protocol: { type: string, default: TCP }
`;

function sources(overrides: Partial<ApiSources> = {}): ApiSources {
  return {
    kubernetes: new Map<KubernetesMinor, ReadonlyMap<string, string>>([
      ['1.34', new Map([['api__v1_openapi.json', openApi()]])],
      ['1.35', new Map([['api__v1_openapi.json', openApi({ hostname: { type: 'string' } })]])],
    ]),
    projects: [{ project: 'railway', label: 'railway v1.0.0', files: new Map([['trains.yaml', CRD]]) }],
    ...overrides,
  };
}

function text(api: ApiFiles, path: string): string {
  return api.files.get(path) as string;
}

function bundle(api: ApiFiles, name: string): string {
  return brotliDecompressSync(api.files.get(`schemas/${name}.br`) as Buffer).toString('utf8');
}

describe('the API generator', () => {
  const api = apiFiles(sources());

  test('gives the same bytes for the same sources', () => {
    const again = apiFiles(sources());
    expect([...again.files.keys()]).toEqual([...api.files.keys()]);
    for (const [path, content] of api.files) {
      expect(Buffer.from(again.files.get(path)!).equals(Buffer.from(content))).toBe(true);
    }
  });

  test('names types by upstream for Kubernetes and by path for custom resources', () => {
    expect([...api.files.keys()].filter((path) => path.startsWith('types/'))).toEqual([
      'types/core/v1.ts',
      'types/example.com/v1.ts',
      'types/meta/v1.ts',
    ]);
    expect(text(api, 'types/core/v1.ts')).toContain('export interface PodSpec {');
    expect(text(api, 'types/example.com/v1.ts')).toContain('readonly wagons: readonly TrainSpecWagon[];');
  });

  test('takes an embedded pod template for the Kubernetes type', () => {
    expect(text(api, 'types/example.com/v1.ts')).toContain("import { type PodTemplateSpec } from '../core/v1';");
    expect(text(api, 'types/example.com/v1.ts')).toContain('readonly template?: PodTemplateSpec;');
    expect(api.embeddings).toContainEqual({
      place: 'example.com/v1 Train spec.wagons[].template',
      definition: 'io.k8s.api.core.v1.PodTemplateSpec',
    });
  });

  test('does not take it where the type would ask for more than the resource does', () => {
    const relaxed = CRD.replace('                                  required: [name]\n', '');
    const other = apiFiles(
      sources({ projects: [{ project: 'railway', label: 'railway', files: new Map([['trains.yaml', relaxed]]) }] }),
    );
    expect(text(other, 'types/example.com/v1.ts')).toContain('readonly template?: TrainSpecWagonTemplate;');
  });

  test('lets the user leave out what has a default, and writes facts beside the member', () => {
    const types = text(api, 'types/example.com/v1.ts');
    expect(types).toContain('/** Default: `1435`. From 600 to 1676. */\n  readonly gauge?: number;');
    expect(types).toContain("readonly color?: 'red' | 'green';");
    expect(types).toContain('readonly cargo: Quantity;');
    expect(types).toContain('/** One item per name. */');
    expect(types).toContain(
      "export const Train: ResourceKind<Train> = { apiVersion: 'example.com/v1', kind: 'Train' };",
    );
  });

  test('notes the first minor of a member that is younger than its type', () => {
    expect(text(api, 'types/core/v1.ts')).toContain('/** Kubernetes 1.35+. */\n  readonly hostname?: string;');
  });

  test('keeps no prose, neither in types nor in schemas', () => {
    for (const path of api.files.keys()) {
      const content = path.endsWith('.br')
        ? brotliDecompressSync(api.files.get(path) as Buffer).toString('utf8')
        : text(api, path);
      expect(content).not.toContain('prose');
    }
  });

  test('writes what two minors have in common once, and what two bundles have in common into the common file', () => {
    const count = (lines: string, what: string): number =>
      lines.split('\n').filter((line) => line.includes(what)).length;
    expect(count(bundle(api, 'kubernetes'), '"required":["containers"]')).toBe(2);
    expect(count(bundle(api, 'common'), '"required":["name"]')).toBe(1);
    expect(count(bundle(api, 'kubernetes'), '"required":["name"]')).toBe(0);
  });

  test('writes one row per kind, with the schema of each minor', () => {
    const rows = /KIND_ROWS = `([^`]*)`/.exec(text(api, 'kind-table.ts'))![1].split('\n');
    expect(rows).toEqual([
      expect.stringMatching(/^- v1 Pod pods pbnst kubernetes 34:\d+,35:\d+$/),
      expect.stringMatching(/^example\.com v1 Train trains nstp railway \d+$/),
    ]);
  });

  test('stops at a schema keyword that it does not know', () => {
    const odd = CRD.replace('color: { type: string,', 'color: { type: string, x-kubernetes-news: 1,');
    expect(() =>
      apiFiles(
        sources({ projects: [{ project: 'railway', label: 'railway', files: new Map([['trains.yaml', odd]]) }] }),
      ),
    ).toThrow("trains.yaml Train/v1/spec/color: unknown schema keyword 'x-kubernetes-news'");
  });

  test('stops where two projects define the same kind and version', () => {
    const files = new Map([['trains.yaml', CRD]]);
    const projects = ['railway', 'tramway'].map((project) => ({ project, label: project, files }));
    expect(() => apiFiles(sources({ projects }))).toThrow('example.com/v1 Train is defined by railway and by tramway');
  });
});
