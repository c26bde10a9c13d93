/**
 * Mutations of the metadata of a trigger: what a scaler reads as a number, a truth, a duration, a choice, or an address.
 */
import { kedaScaler, type KedaScalerParameter } from '../../../src/facts/api/keda-scalers';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString, stringEntries } from '../../../src/manifests/read';
import { type Mutation, type Operator, short } from '../agreement/mutation';
import { type Random } from '../../support/random';
import { withValue } from '../agreement/sites';
import { triggerOf } from './scaler-bases';

const PATH = ['spec', 'triggers', 0, 'metadata'] as const;
const VALUES = [
  ...[
    '',
    ' ',
    '0',
    '1',
    '-1',
    '5',
    '0.5',
    '1e3',
    '007',
    '1_000',
    ' 5 ',
    '10%',
    'abc',
    'true',
    'True',
    'yes',
    'false',
    'TRUE',
  ],
  ...[
    '30s',
    '5m',
    '1h30m',
    '-5s',
    '10',
    '5 m',
    '1d',
    'a,b',
    'a,,b',
    'a=b',
    'a=b,c=d',
    '1,2,3',
    '1-4',
    'a:1',
    'a:1,b:2',
  ],
  ...[
    'http://example.com',
    'https://example.com/a?b=c',
    'example.com',
    '://x',
    'amqp://a:b@c:5672/v',
    'redis:6379',
    '%zz',
    'null',
    '9223372036854775808',
  ],
];

type Change = (metadata: JsonObject, parameters: readonly KedaScalerParameter[], random: Random) => string | undefined;

/** The change is made in a copy of the metadata, and says what it did. */
function onMetadata(name: string, change: Change): Operator {
  return {
    name,
    apply(object: JsonObject, _sites: unknown, random: Random): Mutation | undefined {
      const trigger = triggerOf(object);
      const metadata = { ...asObject(trigger.metadata) };
      const what = change(metadata, kedaScaler(asString(trigger.type) ?? '')?.parameters ?? [], random);
      return what === undefined ? undefined : { object: withValue(object, PATH, metadata), what };
    },
  };
}

function sampleOf({ value, allowedValues = [], separator = ',' }: KedaScalerParameter, random: Random): string {
  if (allowedValues.length > 0 && random.chance(0.7)) {
    return random.pick([...allowedValues, `${random.pick(allowedValues)}s`, random.pick(allowedValues).toUpperCase()]);
  }
  const fitting: Readonly<Record<KedaScalerParameter['value'], readonly string[]>> = {
    integer: ['0', '1', '5', '-1', '100', '1.5'],
    number: ['0', '1', '0.5', '-1', '1e3'],
    boolean: ['true', 'false', 'True', 'yes'],
    duration: ['30s', '5m', '500', '-5s', '1d'],
    texts: ['a', `a${separator}b`, ''],
    integers: ['1', '1,2', '1-4', 'a'],
    map: ['a=b', `a=b${separator}c=d`, 'a'],
    query: ['a=b', 'a=b&c=d', '%zz'],
    text: ['a', 'http://example.com', 'a:1', '1'],
  };
  return random.pick(random.chance(0.75) ? fitting[value] : VALUES);
}

export const TRIGGER_OPERATORS: readonly Operator[] = [
  onMetadata('metadata value', (metadata, parameters, random) => {
    const entries = stringEntries(metadata);
    if (entries.length === 0) {
      return undefined;
    }
    const [key] = random.pick(entries);
    const parameter = parameters.find(({ name, alternatives = [] }) => [name, ...alternatives].includes(key));
    const value = parameter === undefined ? random.pick(VALUES) : sampleOf(parameter, random);
    metadata[key] = value;
    return `${key} -> ${short(value)}`;
  }),
  onMetadata('metadata value of another', (metadata, _parameters, random) => {
    const entries = stringEntries(metadata);
    if (entries.length < 2) {
      return undefined;
    }
    const [key] = random.pick(entries);
    const [from, value] = random.pick(entries);
    metadata[key] = value;
    return key === from ? undefined : `${key} -> value of ${from}`;
  }),
  onMetadata('metadata taken away', (metadata, _parameters, random) => {
    const keys = Object.keys(metadata);
    if (keys.length === 0) {
      return undefined;
    }
    const key = random.pick(keys);
    delete metadata[key];
    return `${key} taken away`;
  }),
  onMetadata('metadata added', (metadata, parameters, random) => {
    const further = parameters.filter(
      ({ name, fromMetadata }) => fromMetadata && !name.endsWith('.*') && !(name in metadata),
    );
    if (further.length === 0) {
      return undefined;
    }
    const parameter = random.pick(further);
    const value = sampleOf(parameter, random);
    metadata[parameter.name] = value;
    return `${parameter.name} added: ${short(value)}`;
  }),
  onMetadata('metadata renamed', (metadata, parameters, random) => {
    const keys = Object.keys(metadata);
    if (keys.length === 0) {
      return undefined;
    }
    const key = random.pick(keys);
    const other = random.pick([
      `${key}s`,
      key.toLowerCase(),
      key.charAt(0).toUpperCase() + key.slice(1),
      `${key}FromEnv`,
      ...parameters.map(({ name }) => name),
    ]);
    metadata[other] = metadata[key];
    if (other === key) {
      return undefined;
    }
    delete metadata[key];
    return `${key} renamed to ${other}`;
  }),
];
