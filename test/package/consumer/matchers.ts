/**
 * Each matcher and assertion of `cdk8s-gantry/testing` once as it holds and once as it fails, for any test runner.
 */
import { Match, Template } from 'cdk8s-gantry/testing';

const template = Template.fromYaml(`
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, labels: { app: web } }
data: { app.yaml: "hosts: [a, b]", app.json: '{"port":80}', memory: 64Gi }
`);

/** What the pattern of a ConfigMap does; `undefined` where it holds, the failure where it does not. */
function failureOf(data: Readonly<Record<string, unknown>>): string | undefined {
  try {
    template.hasResource('ConfigMap', { data });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) {
      throw new Error('the failure is not an Error of this realm', { cause: error });
    }
    return error.message;
  }
}

interface MatcherCase {
  readonly name: string;
  readonly holds: unknown;
  readonly fails: unknown;
  readonly key: string;
  readonly says: string;
}

/** One case for each matcher. */
export const MATCHERS: readonly MatcherCase[] = [
  { name: 'a value', key: 'memory', holds: '64Gi', fails: '1', says: '/data/memory: expected "1", found "64Gi"' },
  { name: 'anyValue', key: 'memory', holds: Match.anyValue(), fails: Match.absent(), says: 'expected no value' },
  { name: 'absent', key: 'none', holds: Match.absent(), fails: Match.anyValue(), says: 'found no value' },
  {
    name: 'quantity',
    key: 'memory',
    holds: Match.quantity('65536Mi'),
    fails: Match.quantity('1Gi'),
    says: 'expected a quantity equal to 1Gi, found "64Gi"',
  },
  {
    name: 'stringLikeRegexp',
    key: 'memory',
    holds: Match.stringLikeRegexp('Gi$'),
    fails: Match.stringLikeRegexp('^Gi'),
    says: 'expected a string that matches /^Gi/',
  },
  {
    name: 'serializedYaml and arrayWith',
    key: 'app.yaml',
    holds: Match.serializedYaml({ hosts: Match.arrayWith(['b']) }),
    fails: Match.serializedYaml({ hosts: Match.arrayWith(['c']) }),
    says: '/data/app.yaml/hosts: expected an element that is "c"',
  },
  {
    name: 'serializedJson and objectLike',
    key: 'app.json',
    holds: Match.serializedJson(Match.objectLike({ port: 80 })),
    fails: Match.serializedJson(Match.objectLike({ port: 81 })),
    says: '/data/app.json/port: expected 81, found 80',
  },
  {
    name: 'exact',
    key: 'app.json',
    holds: Match.exact('{"port":80}'),
    fails: Match.exact('{}'),
    says: 'expected "{}"',
  },
  { name: 'not', key: 'memory', holds: Match.not('1'), fails: Match.not('64Gi'), says: 'anything but "64Gi"' },
];

/** @throws if the matcher does not say what it must */
export function assertMatcher({ key, holds, fails, says }: MatcherCase): void {
  const none = failureOf({ [key]: holds });
  const message = failureOf({ [key]: fails }) ?? 'no failure';
  if (none !== undefined || !message.includes(says)) {
    throw new Error(`expected no failure and "${says}", found ${String(none)} and "${message}"`);
  }
}

/** @throws if an assertion on findings or counts does not hold */
export function assertRest(): void {
  template.resourceCountIs('ConfigMap', 1);
  template.allResources('ConfigMap', { metadata: { labels: { app: 'web' } } });
  template.hasNoFindings('error');
  if (template.findResources('v1/ConfigMap').length !== 1 || template.findings('core/object-once').length !== 0) {
    throw new Error('findResources or findings is wrong');
  }
}
