/**
 * Fixes that follow from the rest of the object: what they say to write is accepted, and does what is meant.
 */
import { check } from '../../../src/interfaces/checks';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';

/** The fixes of one rule. */
function fixesOf(rule: string, ...objects: readonly object[]): readonly (string | undefined)[] {
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { manifests, problems } = parseYaml(text, 'a.yaml');
  const { findings } = check(new ManifestSet(manifests, problems), { groups: ['hygiene'] });
  return findings.filter((finding) => finding.rule === rule).map(({ fix }) => fix);
}

const deployment = (container: object): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1', ...container }] } },
  },
});

const scaled = (type: string, parameter: string): readonly object[] => [
  {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'TriggerAuthentication',
    metadata: { name: 'auth' },
    spec: { secretTargetRef: [{ parameter, name: 's', key: 'k' }] },
  },
  {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name: 'a' },
    spec: {
      scaleTargetRef: { name: 'a' },
      triggers: [{ type, metadata: {}, authenticationRef: { name: 'auth' } }],
    },
  },
];

test.each([
  ['prometheus', 'host', 'bearerToken'],
  ['prometheus', 'apiKeys', 'bearerToken'],
  ['aws-sqs-queue', 'host', 'awsAccessKeyID'],
  ['azure-queue', 'host', 'connection'],
  ['dynatrace', 'x', 'token'],
])('the %s scaler and the parameter %s: such as %s', (type, parameter, example) => {
  expect(fixesOf('keda/authentication-parameter-read', ...scaled(type, parameter))).toEqual([
    `Set secretTargetRef[0].parameter to a parameter that the ${type} scaler reads, such as ${example}, or remove the entry.`,
  ]);
});

test('a variable that is not in env is added to it before it is written in parentheses', () => {
  const args = ['--rank=${RANK}'];
  const inShell = 'run the command in a shell with command: ["sh", "-c", "…"].';
  const fixes = (env: readonly object[]): readonly (string | undefined)[] =>
    fixesOf('pods/variable-form-expanded', deployment({ command: ['server'], args, env }));
  expect(fixes([{ name: 'RANK', value: '1' }])).toEqual([`Replace \${RANK} with $(RANK) in args[0], or ${inShell}`]);
  expect(fixes([])).toEqual([
    `Add RANK to env, and replace \${RANK} with $(RANK) in args[0]; if the image sets RANK, ${inShell}`,
  ]);
});

test.each([
  [
    4,
    5,
    'Set the number of devices in resources.limits to 4, or --tensor-parallel-size to 5 if the number of attention heads is a multiple of 5.',
  ],
  [4, 8, 'Set --tensor-parallel-size to 8, or the number of devices in resources.limits to 4.'],
])('a server of size %d with %d GPUs', (size, gpus, fix) => {
  const server = deployment({
    image: 'vllm/vllm-openai:v1',
    args: [`--tensor-parallel-size=${size}`],
    resources: { limits: { 'nvidia.com/gpu': gpus } },
  });
  expect(fixesOf('pods/tensor-parallel-size-is-gpus', server)).toEqual([fix]);
});

test.each([
  [
    'a:latest',
    'Replace the tag "latest" in containers[0].image with a version tag (name:1.2.3) or a digest (name@sha256:…).',
  ],
  ['a', 'Add a version tag (name:1.2.3) or a digest (name@sha256:…) to containers[0].image.'],
])('the image %s', (image, fix) => {
  expect(fixesOf('hygiene/image-tagged', deployment({ image }))).toEqual([fix]);
});

test('the name of a webhook is answered alone', () => {
  const webhook = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'a' },
    webhooks: [
      {
        name: 'name',
        clientConfig: { url: 'https://a.example.com' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        objectSelector: { matchLabels: { a: '-x' } },
      },
    ],
  };
  expect(fixesOf('core/webhook-valid', webhook)).toEqual([
    'Set webhooks[0].name to a domain name with at least three parts, such as validate.gpus.example.com.',
    'Set matchLabels.a to a label value such as "x".',
  ]);
});

test('a kind of several groups is looked for in each of them', () => {
  const [fix] = fixesOf('schema/known-kind', { apiVersion: 'v1', kind: 'Topology', metadata: { name: 'a' } });
  expect(fix).toMatch(/^Set apiVersion to kai\.scheduler\/v1alpha1 or kueue\.x-k8s\.io\/v1beta\d\.$/);
});
