/**
 * What KEDA's scalers take, cut down to facts.
 *
 * Upstream's generated schema says of every parameter that it is text, leaves out what a scaler shares with others (authentication
 * modes), and calls all alternatives required. The struct tags from which it is generated know better, so the structs are read, and the
 * schema is what they are held against.
 */
import { type KedaScaler, type KedaScalerParameter, type KedaValue } from '../../src/facts/api/keda-scalers';
import { type JsonObject } from '../../src/facts/api/schema';
import { type GoField, type GoFile, readGoFile } from './go-structs';
import { order } from './openapi';
import { withTimes } from './scaler-times';

export const SCALER_SCHEMA = 'schema/generated/scalers-schema.json';
const BUILDER = 'pkg/scaling/scalers_builder.go';

type Parameter = Omit<KedaScalerParameter, 'fromMetadata' | 'fromEnv' | 'fromAuthentication'> & {
  readonly from: string;
};

/** Read by code that is outside of the structs: authorization of the clouds, and what has grown over time. */
const OUTSIDE: readonly { readonly scalers: RegExp; readonly parameters: readonly Parameter[] }[] = [
  {
    // pkg/scalers/aws/aws_common.go
    scalers: /^(aws-.*|kafka|apache-kafka|prometheus)$/,
    parameters: [
      { name: 'identityOwner', value: 'text', optional: true, default: 'pod', from: 'm' },
      { name: 'awsAccessKeyID', alternatives: ['awsAccessKeyId'], value: 'text', optional: true, from: 'mea' },
      { name: 'awsSecretAccessKey', value: 'text', optional: true, from: 'ea' },
      { name: 'awsSessionToken', value: 'text', optional: true, from: 'a' },
      { name: 'awsRoleArn', value: 'text', optional: true, from: 'a' },
    ],
  },
  {
    // pkg/scalers/gcp/gcp_common.go
    scalers: /^(gcp-.*|prometheus)$/,
    parameters: [
      { name: 'credentials', value: 'text', optional: true, from: 'e' },
      { name: 'credentialsFromEnvFile', value: 'text', optional: true, from: 'm' },
      { name: 'GoogleApplicationCredentials', value: 'text', optional: true, from: 'a' },
    ],
  },
  // pkg/scalers/azure/azure_cloud_environment.go
  {
    scalers: /^(azure-(data-explorer|app-insights|queue|blob|servicebus|eventhub)|prometheus)$/,
    parameters: [{ name: 'cloud', value: 'text', optional: true, from: 'm' }],
  },
  {
    scalers: /^azure-(data-explorer|app-insights|eventhub)$/,
    parameters: [{ name: 'activeDirectoryEndpoint', value: 'text', optional: true, from: 'm' }],
  },
  {
    scalers: /^azure-(queue|blob|servicebus|eventhub)$/,
    parameters: [{ name: 'endpointSuffix', value: 'text', optional: true, from: 'm' }],
  },
  {
    scalers: /^azure-eventhub$/,
    parameters: [{ name: 'storageEndpointSuffix', value: 'text', optional: true, from: 'm' }],
  },
  {
    scalers: /^prometheus$/,
    parameters: [{ name: 'azureManagedPrometheusResourceURL', value: 'text', optional: true, from: 'm' }],
  },
  {
    // pkg/scalers/pulsar_scaler.go
    scalers: /^pulsar$/,
    parameters: ['oauthTokenURI', 'scope', 'clientID', 'EndpointParams'].map((name) => ({
      name,
      value: 'text' as const,
      optional: true,
      from: 'm',
    })),
  },
  {
    // pkg/scalers/openstack_metrics_scaler.go
    scalers: /^openstack-metric$/,
    parameters: [
      { name: 'authURL', value: 'text', optional: false, from: 'a' },
      ...['userID', 'password', 'appCredentialID', 'appCredentialSecret'].map((name) => ({
        name,
        value: 'text' as const,
        optional: true,
        from: 'a',
      })),
    ],
  },
];

/** The parameter that says what one replica is good for, where structs let it be left out and the code behind them does not. */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ['arangodb', 'queryValue'],
  ['aws-dynamodb', 'targetValue'],
  ['azure-app-insights', 'targetValue'],
  ['azure-monitor', 'targetValue'],
  ['couchdb', 'queryValue'],
  ['influxdb', 'thresholdValue'],
  ['kubernetes-resource', 'targetValue'],
  ['kubernetes-workload', 'value'],
  ['metrics-api', 'targetValue'],
  ['mssql', 'targetValue'],
  ['postgresql', 'targetQueryValue'],
  ['predictkube', 'threshold'],
  ['solr', 'targetQueryValue'],
]);

/**
 * @param texts the schema, the builder of scalers and the files of the scalers, by path
 * @throws Error where upstream's files hold what is not known here, or the schema says something else than the structs
 */
export function kedaScalers(texts: ReadonlyMap<string, string>): readonly KedaScaler[] {
  const schema = JSON.parse(textAt(texts, SCALER_SCHEMA)) as JsonObject;
  if (schema.schemaVersion !== 1) {
    throw new Error(`KEDA scaler schema has version ${JSON.stringify(schema.schemaVersion)}, known is 1`);
  }
  const structs = new ScalerStructs(texts);
  const creators = new Map(
    [...textAt(texts, BUILDER).matchAll(/case "([\w-]+)":\n\t\treturn scalers\.(\w+)\(/g)].map(([, type, creator]) => [
      type,
      creator,
    ]),
  );
  return (schema.scalers as JsonObject[])
    .map((stated) => {
      const type = stated.type as string;
      const creator = creators.get(type);
      if (creator === undefined) {
        throw new Error(`KEDA scaler ${type}: nothing makes it`);
      }
      const own = withRead(structs.parametersOf(creator), readBeside(texts, creator));
      hold(type, own, stated.parameters as JsonObject[]);
      const target = TARGETS.get(type);
      const parameters = withOutside(type, own).map((parameter) =>
        parameter.name === target ? { ...parameter, target: true as const } : parameter,
      );
      if (target !== undefined && !parameters.some(({ name }) => name === target)) {
        throw new Error(`KEDA scaler ${type} has no parameter ${target}`);
      }
      return { type, parameters: withTimes(type, parameters).sort((a, b) => order(a.name, b.name)) };
    })
    .sort((a, b) => order(a.type, b.type));
}

/**
 * Parameters that the code of a scaler reads from the metadata itself, beside its struct.
 */
function readBeside(texts: ReadonlyMap<string, string>, creator: string): readonly string[] {
  const [, code = ''] =
    [...texts].find(([path, text]) => path.endsWith('.go') && text.includes(`func ${creator}(`)) ?? [];
  return [...new Set([...code.matchAll(/\.TriggerMetadata\["(\w+)"\]/g)].map((match) => match[1]))];
}

function withRead(own: readonly KedaScalerParameter[], names: readonly string[]): readonly KedaScalerParameter[] {
  const further = names.filter((name) => !own.some((parameter) => namesOf(parameter).includes(name)));
  return [...own, ...further.map((name) => placed({ name, value: 'text', optional: true, from: 'm' }))];
}

function textAt(texts: ReadonlyMap<string, string>, path: string): string {
  const text = texts.get(path);
  if (text === undefined) {
    throw new Error(`KEDA's scalers: ${path} is not there`);
  }
  return text;
}

/** What is outside may be a parameter of its own, or a further place for one that the struct has. */
function withOutside(type: string, own: readonly KedaScalerParameter[]): KedaScalerParameter[] {
  const all = [...own];
  for (const outside of OUTSIDE.filter(({ scalers }) => scalers.test(type)).flatMap(({ parameters }) =>
    parameters.map(placed),
  )) {
    const known = all.findIndex(({ name }) => name === outside.name);
    const same = all[known];
    if (same === undefined) {
      all.push(outside);
    } else {
      all[known] = {
        ...same,
        fromMetadata: same.fromMetadata || outside.fromMetadata,
        fromEnv: same.fromEnv || outside.fromEnv,
        fromAuthentication: same.fromAuthentication || outside.fromAuthentication,
      };
    }
  }
  return all;
}

function placed({ from, ...parameter }: Parameter): KedaScalerParameter {
  return {
    ...parameter,
    fromMetadata: from.includes('m'),
    fromEnv: from.includes('e'),
    fromAuthentication: from.includes('a'),
  };
}

function namesOf({ name, alternatives = [] }: KedaScalerParameter): readonly string[] {
  return [name, ...alternatives];
}

/** Everything that the schema states must be what the structs say. */
function hold(type: string, own: readonly KedaScalerParameter[], stated: readonly JsonObject[]): void {
  // A scaler may read one name in two ways: influxdb's authToken is gone from the metadata and lives on beside it.
  const named = (name: string): readonly KedaScalerParameter[] =>
    own.filter((parameter) => namesOf(parameter).includes(name));
  for (const { name, default: standard, allowedValue, optional } of stated) {
    const candidates = named(name as string);
    const parameter = candidates.find((candidate) => candidate.optional === (optional === true)) ?? candidates[0];
    const fail = (what: string): never => {
      throw new Error(`KEDA scaler ${type}, parameter ${JSON.stringify(name)}: schema and struct differ in ${what}`);
    };
    if (parameter === undefined) {
      return fail('its presence');
    }
    if ((standard ?? undefined) !== parameter.default) {
      fail('the default');
    }
    if (JSON.stringify(allowedValue ?? []) !== JSON.stringify(parameter.allowedValues ?? [])) {
      fail('the allowed values');
    }
    if (optional === true && !parameter.optional) {
      fail('whether it may be left out');
    }
  }
}

class ScalerStructs {
  private readonly files: readonly GoFile[];

  constructor(texts: ReadonlyMap<string, string>) {
    this.files = [...texts]
      .filter(([path]) => path.endsWith('.go') && !path.endsWith('_test.go'))
      .map(([, text]) => readGoFile(text));
  }

  parametersOf(creator: string): readonly KedaScalerParameter[] {
    const file = this.files.find(({ functions }) => functions.has(creator));
    const top = [...(file?.structs.values() ?? [])].filter(
      (fields) =>
        fields.some(({ tag }) => tag !== undefined) && fields.some(({ name }) => /^triggerIndex$/i.test(name)),
    );
    if (file === undefined || top.length !== 1) {
      throw new Error(`KEDA's ${creator}: ${top.length} structs of parameters, wanted is one`);
    }
    return this.read(top[0], file, false);
  }

  private read(fields: readonly GoField[], file: GoFile, optional: boolean): readonly KedaScalerParameter[] {
    return fields.flatMap((field) => {
      if (field.tag === undefined) {
        return [];
      }
      const tag = tagOf(field.tag);
      const mayMiss = optional || (tag.has('optional') && tag.get('optional') !== 'false');
      const names = tag.get('name')?.split(';');
      if (names !== undefined) {
        return [parameterOf(names, tag, mayMiss, this.valueOf(field.type, file))];
      }
      const name = field.type.replace(/^\*/, '');
      const nested = this.structOf(name, file);
      if (nested === undefined) {
        throw new Error(`KEDA's scalers: the struct ${name} is not there`);
      }
      return this.read(nested, file, mayMiss);
    });
  }

  private structOf(type: string, file: GoFile): readonly GoField[] | undefined {
    const name = type.slice(type.lastIndexOf('.') + 1);
    const own = type.includes('.') ? undefined : file.structs.get(name);
    return (
      own ??
      this.files.map(({ structs }) => structs.get(name)).find((fields) => fields?.some(({ tag }) => tag !== undefined))
    );
  }

  private valueOf(written: string, file: GoFile): KedaValue {
    const type = written.replace(/^\*/, '');
    const value =
      VALUES[type] ??
      VALUES[file.aliases.get(type) ?? ''] ??
      VALUES[this.files.map(({ aliases }) => aliases.get(type)).find((found) => found !== undefined) ?? ''];
    if (value !== undefined) {
      return value;
    }
    if (type === '[]Type') {
      return 'texts';
    }
    if (type === 'azquery.AggregationType') {
      return 'text';
    }
    throw new Error(`KEDA's scalers: a parameter has the unknown type ${written}`);
  }
}

const VALUES: Readonly<Record<string, KedaValue | undefined>> = {
  string: 'text',
  int: 'integer',
  int64: 'integer',
  uint32: 'integer',
  float64: 'number',
  bool: 'boolean',
  'time.Duration': 'duration',
  '[]string': 'texts',
  '[]int': 'integers',
  'map[string]string': 'map',
  'url.Values': 'query',
};

function tagOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.indexOf('=');
        return at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      }),
  );
}

function parameterOf(
  names: readonly string[],
  tag: ReadonlyMap<string, string>,
  optional: boolean,
  value: KedaValue,
): KedaScalerParameter {
  const sources =
    tag
      .get('order')
      ?.split(';')
      .map((source) => source.trim()) ?? [];
  return withoutUndefined({
    name: names[0],
    alternatives: names.length > 1 ? names.slice(1) : undefined,
    value,
    optional,
    default: tag.get('default') || undefined,
    allowedValues: tag.get('enum')?.split(';'),
    exclusiveValues: tag.get('exclusiveSet')?.split(';'),
    deprecated: tag.has('deprecated')
      ? ('removed' as const)
      : tag.has('deprecatedAnnounce')
        ? ('announced' as const)
        : undefined,
    separator: tag.get('separator'),
    rangeSeparator: tag.has('range') ? tag.get('range') || '-' : undefined,
    fromMetadata: sources.includes('triggerMetadata'),
    fromEnv: sources.includes('resolvedEnv'),
    fromAuthentication: sources.includes('authParams'),
  });
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
