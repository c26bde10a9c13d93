/**
 * Triggers whose verdict is KEDA's own: its code read each of them into the struct of its scaler and validated that (TypedConfig).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../../src/checks/engine';
import { type Finding } from '../../../src/checks/report/finding';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { type Manifest } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';

interface Case {
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly authentication?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** What KEDA says; none where it takes the trigger. */
  readonly refused?: string;
}

const CASES = JSON.parse(readFileSync(join(__dirname, 'cases/triggers.json'), 'utf8')) as readonly Case[];

const PARAMETER_RULES = kedaRules.filter(({ id }) =>
  [
    'keda/parameter-given',
    'keda/parameter-value',
    'keda/parameter-current',
    'keda/parameters-agree',
    'keda/cron-window',
  ].includes(id),
);

/** What KEDA only asks for once the struct is read: targets, credentials of AWS and OpenStack, the time zone. */
const ASKED_LATER = /can handle|Provide awsSecretAccessKey|authURL|IANA/;

/** What the builder of these scalers asks for after the struct is read; test/fixtures/webhooks has its verdicts. */
const BUILT_LATER: ReadonlySet<string> = new Set(['azure-app-insights', 'azure-pipelines', 'datadog']);

function errorsOf({ type, metadata, authentication = {} }: Case): readonly Finding[] {
  const parameters = Object.keys(authentication);
  const isResource = type === 'cpu' || type === 'memory';
  const trigger = {
    type,
    metadata: { ...metadata },
    ...(isResource ? { metricType: 'AverageValue' } : {}),
    ...(parameters.length > 0 ? { authenticationRef: { name: 'a' } } : {}),
  };
  const set = new ManifestSet([
    manifest('ScaledObject', 'scaled', { scaleTargetRef: { name: 'target' }, minReplicaCount: 1, triggers: [trigger] }),
    manifest('TriggerAuthentication', 'a', {
      secretTargetRef: parameters.map((parameter) => ({ parameter, name: 's', key: 'k' })),
    }),
  ]);
  return check(set, { rules: PARAMETER_RULES }).findings.filter(
    ({ rule, severity, tier }) => rule.startsWith('keda/') && severity === 'error' && tier === 'webhook',
  );
}

function manifest(kind: string, name: string, spec: Manifest['object']): Manifest {
  const apiVersion = 'keda.sh/v1alpha1';
  return {
    id: { apiVersion, group: 'keda.sh', kind, namespace: 'n', name },
    object: { apiVersion, kind, metadata: { name, namespace: 'n' }, spec },
    origin: {},
  };
}

test('there are cases of every scaler, of both kinds', () => {
  expect(new Set(CASES.map(({ type }) => type)).size).toBe(76);
  expect(CASES.filter(({ refused }) => refused === undefined).length).toBeGreaterThan(100);
});

test('what KEDA takes is no error, unless KEDA asks for it later', () => {
  const wrong = CASES.filter(({ refused }) => refused === undefined).flatMap((each) =>
    errorsOf(each)
      .filter(({ rule }) => rule !== 'keda/parameters-agree' || !BUILT_LATER.has(each.type))
      .filter(({ message, fix = '', expected = '' }) => !ASKED_LATER.test(`${message} ${fix} ${expected}`))
      .map(({ message }) => `${each.type} ${JSON.stringify(each.metadata)}: ${message}`),
  );
  expect(wrong).toEqual([]);
});

test('what KEDA cannot read, and what it misses, is found where a manifest shows it', () => {
  const missed = CASES.filter((each) => {
    const [, parameters = ''] =
      /(?:missing required parameter|unable to set param|parameter) "([^"]+)"/.exec(each.refused ?? '') ?? [];
    if (
      parameters === '' ||
      !/missing required|unable to set|must be one of|must contain only/.test(each.refused ?? '')
    ) {
      return false;
    }
    // Values of Secrets and of variables are not visible here.
    const isHidden = parameters
      .split(',')
      .some((name) => each.authentication?.[name] !== undefined || each.metadata[`${name}FromEnv`] !== undefined);
    return !isHidden && errorsOf(each).length === 0;
  });
  expect(missed.map(({ type, refused }) => `${type}: ${refused ?? ''}`)).toEqual([]);
});
