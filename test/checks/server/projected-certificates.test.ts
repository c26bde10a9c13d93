import { check } from '../../../src/checks/engine';
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { manifestOf } from '../../support/manifest-of';

function found(sources: readonly JsonObject[], kubernetes: KubernetesMinor = '1.37'): readonly string[] {
  const pod: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      containers: [{ name: 'a', image: 'example.com/a:1' }],
      volumes: [{ name: 'files', projected: { sources: [...sources] } }],
    },
  };
  return check(new ManifestSet([manifestOf(pod)]), { rules: allRules(), kubernetes, tiers: ['schema', 'server'] })
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ path = '', message }) => `${path.replace('/spec/volumes/0/projected/sources/', '')}: ${message}`);
}

const bundle = (value: JsonObject): JsonObject => ({ clusterTrustBundle: { path: 'ca.pem', ...value } });
const certificate = (value: JsonObject): JsonObject => ({
  podCertificate: {
    signerName: 'example.com/signer',
    keyType: 'ED25519',
    credentialBundlePath: 'bundle.pem',
    ...value,
  },
});

describe('certificates in a projected volume, which API servers keep from 1.37', () => {
  test.each<[string, JsonObject]>([
    ['a bundle by name', bundle({ name: 'ours' })],
    ['a bundle of a signer, by name', bundle({ name: 'example.com:signer:ours' })],
    [
      'the bundles of a signer',
      bundle({ signerName: 'example.com/signer', labelSelector: { matchLabels: { a: 'b' } } }),
    ],
    ['a certificate', certificate({ maxExpirationSeconds: 3600, user: 1000 })],
    ...['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'].map((keyType): [string, JsonObject] => [
      `a certificate of a key ${keyType}`,
      certificate({ keyType }),
    ]),
    ['a certificate that lasts 91 days', certificate({ maxExpirationSeconds: 7_862_400 })],
    ['annotations with a domain', certificate({ userAnnotations: { 'example.com/Name': 'x' } })],
  ])('%s is right', (_name, source) => {
    expect(found([source])).toEqual([]);
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ['no bundle', bundle({}), ['0/clusterTrustBundle: name or signerName must be set']],
    [
      'two ways to name a bundle',
      bundle({ name: 'a', signerName: 'example.com/a' }),
      ['0/clusterTrustBundle: clusterTrustBundle.name must not be set when signerName is set'],
    ],
    ['an empty name', bundle({ name: '' }), ['0/clusterTrustBundle/name: clusterTrustBundle.name must be set']],
    [
      'a selector beside a name',
      bundle({ name: 'a', labelSelector: {} }),
      ['0/clusterTrustBundle/labelSelector: labelSelector must not be set when name is set'],
    ],
    [
      'a path out of the volume',
      bundle({ name: 'a', path: '../a' }),
      [expect.stringContaining('0/clusterTrustBundle/path: the file path must')],
    ],
    [
      'a signer without a domain',
      certificate({ signerName: 'signer' }),
      ['0/podCertificate/signerName: signerName must be of the form domain/name'],
    ],
    [
      'an unknown key',
      certificate({ keyType: 'RSA2048' }),
      ['0/podCertificate/keyType: unsupported key type "RSA2048"'],
    ],
    [
      'nowhere to write',
      certificate({ credentialBundlePath: '' }),
      ['0/podCertificate: credentialBundlePath, keyPath, or certificateChainPath must be set'],
    ],
    [
      'less than an hour',
      certificate({ maxExpirationSeconds: 3599 }),
      ['0/podCertificate/maxExpirationSeconds: maxExpirationSeconds must be between 3600 and 7862400, but is 3599'],
    ],
    [
      'more than a day, of a signer of Kubernetes',
      certificate({ signerName: 'kubernetes.io/kube-apiserver-client-pod', maxExpirationSeconds: 86_401 }),
      ['0/podCertificate/maxExpirationSeconds: maxExpirationSeconds must be between 3600 and 86400, but is 86401'],
    ],
    [
      'an annotation without a domain',
      certificate({ userAnnotations: { name: 'x' } }),
      ['0/podCertificate/userAnnotations: the key "name" must have a domain prefix: domain/name'],
    ],
    ['a user below 0', certificate({ user: -1 }), [expect.stringContaining('0/podCertificate/user: the user ID must')]],
  ])('%s is an error', (_name, source, expected) => {
    expect(found([source])).toEqual(expected);
  });

  test('two sources must not write one file', () => {
    expect(found([bundle({ name: 'a', path: 'x' }), certificate({ keyPath: 'x' })])).toEqual([
      '1/podCertificate/keyPath: duplicate path "x" in the projected volume',
    ]);
  });

  test('an older API server drops them, whatever they contain', () => {
    expect(found([bundle({}), certificate({ keyType: 'none' })], '1.36')).toEqual([]);
  });
});
