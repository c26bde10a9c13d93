/**
 * ScaledObjects with one trigger each, of every scaler, from the metadata that KEDA's own tests of its scalers have.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goModule } from '../../../projen/api/lock';
import { kedaScalers } from '../../../src/facts/api/keda-scalers';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { type WebhookBase } from './bases';
import { askProgram } from './programs';
import { moduleVersion, type WebhookProject } from './projects';

/** How many of each scaler are kept. */
const MOST = 24;
const NAMESPACE = 'scalers';

/** `keda.sh/v1alpha1 ScaledObject`, with the type of its trigger. */
export function scalerKind(object: JsonObject): string {
  return `trigger ${asString(triggerOf(object).type) ?? ''}`;
}

export function triggerOf({ spec }: JsonObject): JsonObject {
  const { triggers } = asObject(spec);
  return asObject(Array.isArray(triggers) ? triggers[0] : undefined);
}

/** The candidates that KEDA accepts. */
export async function scalerBases(project: WebhookProject, program: string): Promise<readonly WebhookBase[]> {
  const candidates = scalerCandidates(project);
  const verdicts = await askProgram(program, candidates);
  const kept = new Map<string, number>();
  return candidates.filter(({ object }, index) => {
    const kind = scalerKind(object);
    const before = kept.get(kind) ?? 0;
    if (verdicts[index].verdict !== 'accepted' || before >= MOST) {
      return false;
    }
    kept.set(kind, before + 1);
    return true;
  });
}

/** Whatever the tests have, what is refused too. */
export function scalerCandidates(project: WebhookProject): readonly WebhookBase[] {
  const folder = join(goModule(project.module, moduleVersion(project)).dir, 'pkg');
  const creators = creatorsIn(readFileSync(join(folder, 'scaling/scalers_builder.go'), 'utf8'));
  const scalers = join(folder, 'scalers');
  const met = new Set<string>();
  return readdirSync(scalers)
    .filter((file) => file.endsWith('_test.go'))
    .sort()
    .flatMap((file) => {
      const code = join(scalers, file.replace('_test.go', '.go'));
      const types = typesOf(code, creators);
      const text = types.length === 0 ? '' : readFileSync(join(scalers, file), 'utf8');
      return types.flatMap((type) =>
        metadataIn(text).flatMap(({ metadata, parameters }) => {
          const key = JSON.stringify([type, metadata, parameters]);
          if (met.has(key) || !isMetadataOf(type, metadata)) {
            return [];
          }
          met.add(key);
          return [baseOf(type, file, met.size, metadata, parameters)];
        }),
      );
    });
}

/** The types that a function makes scalers for: `NewRedisScaler` has three. */
function creatorsIn(builder: string): ReadonlyMap<string, readonly string[]> {
  const creators = new Map<string, string[]>();
  for (const [, type, creator] of builder.matchAll(/case "([\w-]+)":\n\t\treturn scalers\.(\w+)\(/g)) {
    creators.set(creator, [...(creators.get(creator) ?? []), type]);
  }
  return creators;
}

function typesOf(code: string, creators: ReadonlyMap<string, readonly string[]>): readonly string[] {
  let text: string;
  try {
    text = readFileSync(code, 'utf8');
  } catch {
    return [];
  }
  return [...creators].filter(([creator]) => text.includes(`func ${creator}(`)).flatMap(([, types]) => types);
}

interface TestData {
  readonly metadata: Readonly<Record<string, string>>;
  /** What the authentication gives. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Maps of strings in Go code, each alone, and each with the next one in the same test as its authentication. */
function metadataIn(code: string): readonly TestData[] {
  const maps = [...code.matchAll(/map\[string\]string\{([^{}]*)\}/g)].map((match) => ({
    entries: entriesOf(match[1]),
    start: match.index,
    end: match.index + match[0].length,
  }));
  return maps.flatMap(({ entries, end }, index): readonly TestData[] => {
    const next = maps[index + 1];
    const isPair = next !== undefined && /^[\s,]*(?:\w+:\s*)?$/.test(code.slice(end, next.start));
    return entries === undefined
      ? []
      : [
          { metadata: entries, parameters: {} },
          ...(isPair && next.entries !== undefined && Object.keys(next.entries).length > 0
            ? [{ metadata: entries, parameters: next.entries }]
            : []),
        ];
  });
}

/** The entries, if all are plain strings. */
function entriesOf(text: string): Readonly<Record<string, string>> | undefined {
  const entries: Record<string, string> = {};
  const rest = text
    .replace(/\/\/[^\n]*/g, '')
    .replace(/("(?:[^"\\\n]|\\.)*")\s*:\s*(?:("(?:[^"\\\n]|\\.)*")|`([^`]*)`)\s*,?/g, (_match, key, value, raw) => {
      try {
        entries[JSON.parse(key as string) as string] =
          value === undefined ? (raw as string) : (JSON.parse(value as string) as string);
      } catch {
        return 'x';
      }
      return '';
    });
  return rest.trim() === '' ? entries : undefined;
}

/** At least one key is a parameter of the scaler, so that labels and authentications of tests are left out. */
function isMetadataOf(type: string, metadata: Readonly<Record<string, string>>): boolean {
  const parameters = kedaScalers().find((scaler) => scaler.type === type)?.parameters ?? [];
  const names = new Set(parameters.flatMap(({ name, alternatives = [] }) => [name, ...alternatives]));
  return Object.keys(metadata).some((key) => names.has(key) || names.has(key.replace(/FromEnv$/, '')));
}

function baseOf(
  type: string,
  file: string,
  index: number,
  metadata: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>>,
): WebhookBase {
  const given = Object.keys(parameters);
  const isResource = type === 'cpu' || type === 'memory';
  const trigger: JsonObject = {
    type,
    metadata: { ...metadata },
    ...(isResource ? { metricType: 'Utilization' } : {}),
    ...(given.length === 0 ? {} : { authenticationRef: { name: 'auth' } }),
  };
  const object: JsonObject = {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name: `scaled-${index}`, namespace: NAMESPACE },
    spec: { scaleTargetRef: { name: 'server' }, minReplicaCount: isResource ? 1 : 0, triggers: [trigger] },
  };
  const variables = Object.entries(metadata).flatMap(([key, value]) =>
    /FromEnv$/.test(key) && value !== '' ? [value] : [],
  );
  return {
    file,
    object,
    beside: [serverWith(variables), ...(given.length === 0 ? [] : authenticationWith(parameters))],
  };
}

/** With the workload that a ScaledObject names, where its source does not have it. */
export function withTarget(base: WebhookBase): WebhookBase {
  const { name, kind = 'Deployment' } = asObject(asObject(base.object.spec).scaleTargetRef);
  const { namespace } = asObject(base.object.metadata);
  const target = serverWith([]);
  const isThere = base.beside.some((other) => other.kind === kind && asObject(other.metadata).name === name);
  if (base.object.kind !== 'ScaledObject' || isThere || name === undefined || kind !== 'Deployment') {
    return base;
  }
  const metadata: JsonObject = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { ...base, beside: [...base.beside, { ...target, metadata }] };
}

/** The workload, with variables that have a value. */
function serverWith(variables: readonly string[]): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'server', namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: { app: 'server' } },
      template: {
        metadata: { labels: { app: 'server' } },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'example.com/server:1',
              env: [...new Set(variables)].map((name) => ({ name, value: 'https://example.com:5671/x' })),
              resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
            },
          ],
        },
      },
    },
  };
}

function authenticationWith(parameters: Readonly<Record<string, string>>): readonly JsonObject[] {
  const names = Object.keys(parameters);
  return [
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata: { name: 'auth', namespace: NAMESPACE },
      spec: { secretTargetRef: names.map((name) => ({ parameter: name, name: 'auth', key: name })) },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'auth', namespace: NAMESPACE },
      data: Object.fromEntries(names.map((name) => [name, Buffer.from(parameters[name]).toString('base64')])),
    },
  ];
}
