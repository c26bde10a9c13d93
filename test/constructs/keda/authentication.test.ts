/**
 * What authentications give to triggers, and which ones a trigger may refer to.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { findingsOf } from '../../support/findings';
import { authentication, prometheus, scaledObject } from './objects';

const REFERENCE = 'authenticationRef: {name: broker}';
const found = (rule: string, ...documents: readonly string[]): readonly Finding[] =>
  findingsOf(documents.join(''), kedaRules).filter((finding) => finding.rule === `keda/${rule}`);

const withModes = (modes: string): string =>
  scaledObject([`${prometheus('sum(a)', `authModes: ${modes}`)}${REFERENCE}`]);
const QUEUE_OF_SQS = scaledObject([
  `type: aws-sqs-queue\nmetadata: {queueURL: "https://a/b", awsRegion: eu-central-1}\n${REFERENCE}`,
]);

describe('what an authentication gives', () => {
  test.each([
    'secretTargetRef: [{parameter: bearerToken, name: s, key: k}]',
    'configMapTargetRef: [{parameter: bearerToken, name: s, key: k}]',
    'env: [{parameter: bearerToken, name: TOKEN}]',
    'boundServiceAccountToken: [{parameter: bearerToken, serviceAccountName: s}]',
    'hashiCorpVault: {address: a, authentication: token, secrets: [{parameter: bearerToken, key: k, path: p}]}',
    'azureKeyVault: {vaultUri: a, secrets: [{parameter: bearerToken, name: s}]}',
    'awsSecretManager: {secrets: [{parameter: bearerToken, name: s}]}',
    'gcpSecretManager: {secrets: [{parameter: bearerToken, id: s}]}',
    'filePath: tokens',
  ])('a parameter: %s', (spec) => {
    expect(found('parameters-agree', withModes('bearer'), authentication(spec))).toEqual([]);
  });

  test.each([
    'secretTargetRef: [{parameter: password, name: s, key: k}]',
    'oauth2: {clientId: a, tokenUrl: "https://login/token"}',
    'podIdentity: {provider: azure-workload}',
  ])('not a parameter that it does not name: %s', (spec) => {
    const [{ message }] = found('parameters-agree', withModes('bearer'), authentication(spec));
    expect(message).toContain('the authentication mode "bearer" requires bearerToken or token');
  });

  test('OAuth2 gives what the mode oauth needs, and nothing else does but its parameters', () => {
    const missing = (spec: string): number =>
      found('parameters-agree', withModes('oauth'), authentication(spec)).length;
    expect(missing('oauth2: {clientId: a, tokenUrl: "https://login/token"}')).toBe(0);
    expect(missing('podIdentity: {provider: aws}')).toBe(2);
    expect(missing('secretTargetRef: [{parameter: clientID, name: s, key: k}]')).toBe(1);
  });

  test('a pod identity gives the role of AWS, beside a key', () => {
    const key = 'secretTargetRef: [{parameter: awsAccessKeyID, name: s, key: k}]';
    const messages = (spec: string): readonly string[] =>
      found('parameters-agree', QUEUE_OF_SQS, authentication(spec))
        .map(({ message }) => message)
        .filter((message) => message.includes('awsAccessKeyID'));
    expect(messages(key)).toHaveLength(1);
    expect(messages(`${key}\npodIdentity: {provider: aws}`)).toEqual([]);
    expect(messages(`${key}\noauth2: {clientId: a, tokenUrl: "https://login/token"}`)).toHaveLength(1);
  });

  test.each([
    ['', 1],
    [', identityOwner: pod', 1],
    [', identityOwner: operator', 0],
    [', awsSecretAccessKeyFromEnv: SECRET', 0],
  ])('a key of AWS without its secret%s', (more, count) => {
    const trigger = `type: aws-sqs-queue\nmetadata: {queueURL: "https://a/b", awsRegion: eu, awsAccessKeyIDFromEnv: KEY${more}}`;
    const messages = found('parameters-agree', scaledObject([trigger])).map(({ message }) => message);
    expect(messages.filter((message) => message.includes('without awsSecretAccessKey'))).toHaveLength(count);
  });
});

describe('members of an authentication', () => {
  test.each([
    ['pod-identity-consistent', 'podIdentity: {provider: aws, identityId: "", identityTenantId: ""}', []],
    ['pod-identity-consistent', 'podIdentity: {provider: gcp, externalID: x}', []],
    ['pod-identity-consistent', 'podIdentity: azure-workload', []],
    ['pod-identity-consistent', 'podIdentity: {provider: azure-workload, identityTenantId: ""}', ['identityTenantId']],
    ['oauth2-complete', 'oauth2: {clientId: a, tokenUrl: "to https://login"}', ['tokenUrl']],
    ['oauth2-complete', 'oauth2: {clientId: a, tokenUrl: "HTTPS://login"}', []],
    ['oauth2-complete', 'oauth2: {clientId: a, tokenUrl: "https:///token"}', ['tokenUrl']],
    ['oauth2-complete', 'podIdentity: {provider: azure-workload}\noauth2: {clientId: ""}', ['clientId']],
    ['oauth2-complete', 'podIdentity: {provider: aws}\noauth2: {clientId: ""}', ['clientId']],
    ['oauth2-complete', 'podIdentity: {provider: gcp}\noauth2: {clientId: ""}', []],
  ])('%s: %s', (rule, spec, fields) => {
    expect(found(rule, authentication(spec)).map(({ path }) => path.split('/').at(-1))).toEqual(fields);
  });

  test.each([
    ['""', 0],
    ['tokens/a', 0],
    ['tokens/', 0],
    ['/tokens', 1],
    ['a/../b', 1],
  ])('a file %s of a ClusterTriggerAuthentication', (file, count) => {
    const spec = `filePath: ${file}`;
    expect(found('file-path-of-cluster', authentication(spec, { kind: 'ClusterTriggerAuthentication' }))).toHaveLength(
      count,
    );
  });
});

describe('which authentication a trigger refers to', () => {
  const TOKEN = 'secretTargetRef: [{parameter: bearerToken, name: s, key: k}]';
  const referring = (kind: string): string =>
    scaledObject([`${prometheus('sum(a)')}authenticationRef: {name: broker${kind}}`]);
  const messages = (...documents: readonly string[]): readonly string[] =>
    found('authentication-of-kind', ...documents).map(({ message }) => message);

  test('one of its namespace, or one of the cluster', () => {
    expect(messages(referring(''), authentication(TOKEN))).toEqual([]);
    const ofCluster = authentication(TOKEN, { kind: 'ClusterTriggerAuthentication' });
    expect(messages(referring(', kind: ClusterTriggerAuthentication'), ofCluster)).toEqual([]);
    expect(messages(referring(''), ofCluster)).toEqual([
      '"broker" is a ClusterTriggerAuthentication, but authenticationRef refers to a TriggerAuthentication',
    ]);
    expect(messages(referring(', kind: ClusterTriggerAuthentication'), authentication(TOKEN))).toEqual([
      '"broker" is a TriggerAuthentication, but authenticationRef refers to a ClusterTriggerAuthentication',
    ]);
  });

  test('not one of another namespace, unless there is one in its own', () => {
    const elsewhere = (namespace: string): string => authentication(TOKEN, { namespace });
    expect(messages(referring(''), elsewhere('other'))).toEqual([
      'the TriggerAuthentication "broker" is in the namespace "other", but KEDA looks for it only in the namespace of this object',
    ]);
    expect(messages(referring(''), elsewhere('other'), elsewhere('serving'))).toEqual([]);
    expect(messages(referring(''), authentication(TOKEN, { name: 'of-others', namespace: 'other' }))).toEqual([]);
    expect(messages(referring(', kind: ClusterTriggerAuthentication'), elsewhere('other'))).toEqual([]);
    expect(messages(scaledObject([`${prometheus('sum(a)')}authenticationRef: {name: ""}`]), elsewhere('x'))).toEqual(
      [],
    );
  });

  test('a parameter is read if any of the triggers reads it', () => {
    const external = `type: external\nmetadata: {scalerAddress: "a:1"}\n${REFERENCE}`;
    const spec = authentication('secretTargetRef: [{parameter: queueLength, name: s, key: k}]');
    const unread = (...triggers: readonly string[]): readonly string[] =>
      found('authentication-parameter-read', scaledObject(triggers), spec).map(({ message }) => message);
    const query = `${prometheus('sum(a)')}${REFERENCE}`;
    expect(unread(query)).toEqual([
      'no trigger that uses this authentication reads the parameter "queueLength" (trigger types: prometheus)',
    ]);
    expect(unread(query, `type: redis\nmetadata: {listName: a}\n${REFERENCE}`)).toEqual([
      'no trigger that uses this authentication reads the parameter "queueLength" (trigger types: prometheus, redis)',
    ]);
    expect(unread(query, external)).toEqual([]);
    expect(unread(query, `type: unknown\n${REFERENCE}`)).toEqual([]);
    const password = authentication('secretTargetRef: [{parameter: password, name: s, key: k}]');
    const both = scaledObject([`type: redis\nmetadata: {listName: a}\n${REFERENCE}`, query]);
    expect(found('authentication-parameter-read', both, password)).toEqual([]);
  });
});
