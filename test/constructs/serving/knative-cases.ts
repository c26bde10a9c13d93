/** Cases of the rules on fields, names, and routing of Knative. */
import { type JsonObject } from '../../../src/facts/api/schema';
import { knative, type Manifests, type RuleCases } from './knative-builder';

const SERVING = 'serving.knative.dev';

function serving(kind: string, metadata: JsonObject, spec: JsonObject = {}): JsonObject {
  const version = kind === 'DomainMapping' ? 'v1beta1' : 'v1';
  return { apiVersion: `${SERVING}/${version}`, kind, metadata: { name: 'chat', namespace: 'ai', ...metadata }, spec };
}

const route = (...traffic: readonly JsonObject[]): Manifests => [serving('Route', {}, { traffic: [...traffic] })];
const serviceTo = (...traffic: readonly JsonObject[]): Manifests => [serving('Service', {}, { traffic: [...traffic] })];
const pod = (spec: JsonObject): Manifests => [knative({}, spec)];
const container = (value: JsonObject): Manifests => [knative({}, {}, value)];
const annotations = (value: Readonly<Record<string, string>>): Manifests => [knative(value)];
const mapping = (name: string, ref: JsonObject): Manifests => [serving('DomainMapping', { name }, { ref })];
const latest = { configurationName: 'chat', percent: 100 };
const target = { apiVersion: `${SERVING}/v1`, kind: 'Service', name: 'chat' };
const two: readonly JsonObject[] = [
  { image: 'server', ports: [{}] },
  { image: 'side', name: 'side' },
];
const shm = { name: 'shm', emptyDir: { medium: 'Memory' } };
const mount = (...volumeMounts: readonly JsonObject[]): Manifests => [
  knative(
    {},
    { volumes: [shm, { name: 'data', persistentVolumeClaim: { claimName: 'a', readOnly: true } }] },
    {
      volumeMounts: [...volumeMounts],
    },
  ),
];

export const knativeCases: readonly RuleCases[] = [
  {
    rule: 'serving/knative-field-taken',
    fires: {
      'of the pod': pod({ terminationGracePeriodSeconds: 0 }),
      'of the container': container({ lifecycle: {} }),
      'a port of the host': container({ ports: [{ containerPort: 8080, hostPort: 8080 }] }),
      'an expression in a mount': container({ volumeMounts: [{ subPathExpr: '$(A)' }] }),
      'claims of devices': container({ resources: { claims: [{ name: 'gpu' }] } }),
      'a security context': pod({ securityContext: { sysctls: [] } }),
      'a security context of a container': container({ securityContext: { procMount: 'Default' } }),
      'another volume': pod({ volumes: [{ name: 'nfs', nfs: { server: 'a', path: '/a' } }] }),
      'another projection': pod({ volumes: [{ name: 'all', projected: { sources: [{ clusterTrustBundle: {} }] } }] }),
      'a variable from a file': container({ env: [{ name: 'A', valueFrom: { fileKeyRef: {} } }] }),
      'a probe of an init container': pod({ initContainers: [{ image: 'init', readinessProbe: {} }] }),
    },
    silent: {
      'what is allowed': pod({ serviceAccountName: 'chat', timeoutSeconds: 10, runtimeClassName: 'nvidia' }),
      'empty values that Go does not see': [
        knative({}, { restartPolicy: '', nodeName: null }, { tty: false, ports: [{ hostPort: 0, hostIP: '' }] }),
      ],
    },
  },
  {
    rule: 'serving/knative-image-readable',
    fires: {
      none: container({ image: null }),
      'upper case': container({ image: 'registry.example.com/Server:1' }),
      'one character': container({ image: 'x' }),
      'an empty tag after one character': container({ image: 'example.com/a:' }),
      'a digest and a colon without a repository': container({ image: `:@sha256:${'0'.repeat(64)}` }),
      'a short digest': container({ image: 'server@sha256:0123' }),
      'a registry that is no host': container({ image: 'a.b c/server' }),
    },
    silent: {
      'a port': container({ image: 'localhost:5000/server' }),
      'an empty tag, which is the default one': container({ image: 'server:' }),
      'an empty tag after a registry': container({ image: 'registry.example.com/team/server:' }),
      'what ko replaces': container({ image: 'ko:://example.com/server' }),
      'tag and digest': container({ image: `registry.example.com:443/a/b_c:v1.2@sha256:${'0'.repeat(64)}` }),
    },
  },
  {
    rule: 'serving/knative-container-complete',
    fires: {
      'no container': pod({ containers: [] }),
      'equal names': pod({ containers: [{ image: 'server', name: 'side', ports: [{}] }, two[1] ?? {}] }),
      'the name of an init container': pod({
        initContainers: [{ image: 'init', name: 'a' }],
        containers: [{ name: 'a' }],
      }),
      'a variable without a name': container({ env: [{ value: 'a' }] }),
      'two sources': container({ envFrom: [{ configMapRef: { name: 'a' }, secretRef: { name: 'a' } }] }),
      'a negative user': container({ securityContext: { runAsUser: -1 } }),
      'a great group': pod({ securityContext: { supplementalGroups: [1, 2147483648] } }),
      'a policy': container({ terminationMessagePolicy: 'Log' }),
      'an account': pod({ serviceAccountName: 'Chat' }),
      'a port': container({ ports: [{ containerPort: 65536 }] }),
    },
    silent: {
      'another type, which the schema rejects': pod({ containers: 'server' }),
      complete: [
        knative({}, { containers: [...two] }, {}),
        ...container({ envFrom: [{ secretRef: { name: 'a' } }], ports: [{ containerPort: 65535 }] }),
      ],
    },
  },
  {
    rule: 'serving/knative-probe-complete',
    fires: {
      'no handler': container({ livenessProbe: { periodSeconds: 3 } }),
      'two handlers': container({ readinessProbe: { httpGet: {}, exec: {} } }),
      'no handler beside the server': pod({ containers: [two[0] ?? {}, { ...two[1], readinessProbe: {} }] }),
      'no port beside the server': pod({ containers: [two[0] ?? {}, { ...two[1], livenessProbe: { httpGet: {} } }] }),
      'a negative number': container({ readinessProbe: { initialDelaySeconds: -1 } }),
      'a negative timeout': container({ readinessProbe: { periodSeconds: 1, timeoutSeconds: -1 } }),
    },
    silent: {
      'the one that is filled in': container({ readinessProbe: {} }),
      'a port of its own': pod({
        containers: [two[0] ?? {}, { ...two[1], livenessProbe: { tcpSocket: { port: 9000 } } }],
      }),
      'a number that is not read': container({ livenessProbe: { httpGet: {}, initialDelaySeconds: -1 } }),
    },
  },
  {
    rule: 'serving/knative-volume-complete',
    fires: {
      'no name': pod({ volumes: [{ emptyDir: {} }] }),
      'no label': pod({ volumes: [{ name: 'a.b', emptyDir: {} }] }),
      'equal names': pod({ volumes: [shm, shm] }),
      'no source': pod({ volumes: [{ name: 'a' }] }),
      'two sources': pod({ volumes: [{ ...shm, secret: { secretName: 'a' } }] }),
      'an item without a path': pod({ volumes: [{ name: 'a', configMap: { name: 'a', items: [{ key: 'a' }] } }] }),
      'a projection of nothing': pod({ volumes: [{ name: 'a', projected: { sources: [{}] } }] }),
      'a projection without a name': pod({ volumes: [{ name: 'a', projected: { sources: [{ secret: {} }] } }] }),
      'a token without a path': pod({
        volumes: [{ name: 'a', projected: { sources: [{ serviceAccountToken: { audience: 'a' } }] } }],
      }),
      'a field of nothing': pod({
        volumes: [{ name: 'a', projected: { sources: [{ downwardAPI: { items: [{ path: 'a' }] } }] } }],
      }),
      'a negative size': pod({ volumes: [{ name: 'a', emptyDir: { sizeLimit: '-1Gi' } }] }),
      'no image': pod({ volumes: [{ name: 'a', image: { reference: '' } }] }),
    },
    silent: {
      complete: pod({
        volumes: [
          shm,
          { name: 'a', projected: { sources: [{ configMap: { name: 'a', items: [{ key: 'a', path: 'b' }] } }] } },
        ],
      }),
    },
  },
  {
    rule: 'serving/knative-mount-complete',
    fires: {
      'no path': mount({ name: 'shm' }),
      'a relative path': mount({ name: 'shm', mountPath: 'a/b' }),
      'one path twice': mount({ name: 'shm', mountPath: '/a/b' }, { name: 'shm', mountPath: '/a/c/../b/' }),
      'writable, and the claim is not': mount({ name: 'data', mountPath: '/a' }),
    },
    silent: {
      complete: mount({ name: 'shm', mountPath: '/dev/shm' }, { name: 'data', mountPath: '/a', readOnly: true }),
      'no volume, which core/volume-mount-has-volume reports': mount({ name: 'other', mountPath: '/a' }),
    },
  },
  {
    rule: 'serving/knative-name-is-host',
    fires: {
      'a digit first': [serving('Service', { name: '1chat' })],
      'a dot': [serving('Route', { name: 'a.b' })],
      'a prefix': [serving('Service', { name: null, generateName: 'Chat-' })],
      'a prefix of the template': [serving('Configuration', {}, { template: { metadata: { generateName: '1a-' } } })],
    },
    silent: { 'a label': [serving('Service', {}), serving('Service', { name: null, generateName: 'chat-' })] },
  },
  {
    rule: 'serving/knative-route-has-no-scaling',
    fires: { 'a bound': [serving('Route', { annotations: { 'autoscaling.knative.dev/min-scale': '1' } })] },
    silent: { another: [serving('Route', { annotations: { 'example.com/min-scale': '1' } })] },
  },
  {
    rule: 'serving/knative-owner-label-left-to-owner',
    fires: {
      'no owner': [serving('Route', { labels: { [`${SERVING}/service`]: 'chat' } })],
      'another owner': [
        serving('Revision', {
          labels: { [`${SERVING}/configuration`]: 'chat' },
          ownerReferences: [{ kind: 'Configuration', name: 'other' }],
        }),
      ],
    },
    silent: {
      'its owner': [
        serving('Configuration', {
          labels: { [`${SERVING}/service`]: 'chat' },
          ownerReferences: [{ kind: 'Service', name: 'chat' }],
        }),
      ],
      'a label of another kind': [serving('Route', { labels: { [`${SERVING}/configuration`]: 'chat' } })],
    },
  },
  {
    rule: 'serving/knative-rollout-duration-valid',
    fires: {
      'no duration': [serving('Service', { annotations: { [`${SERVING}/rollout-duration`]: '10' } })],
      'half a second': [serving('Route', { annotations: { [`${SERVING}/rolloutDuration`]: '1500ms' } })],
      negative: [serving('Route', { annotations: { [`${SERVING}/rollout-duration`]: '-1s' } })],
    },
    silent: { seconds: [serving('Service', { annotations: { [`${SERVING}/rollout-duration`]: '380s' } })] },
  },
  {
    rule: 'serving/knative-template-annotation-valid',
    fires: {
      'an unknown key': annotations({ 'networking.knative.dev/ingress': 'a' }),
      'no deadline': annotations({ [`${SERVING}/progress-deadline`]: 'soon' }),
      'no quantity': annotations({ [`queue.sidecar.${SERVING}/cpu-resource-request`]: 'much' }),
      'no percentage': annotations({ [`queue.sidecar.${SERVING}/resource-percentage`]: '0.01' }),
    },
    silent: {
      ...Object.fromEntries(
        [
          'ingress.class',
          'ingress-class',
          'certificate.class',
          'certificate-class',
          'disableAutoTLS',
          'disable-auto-tls',
          'disable-external-domain-tls',
          'httpOption',
          'http-protocol',
        ].map((key) => [`the key ${key}`, annotations({ [`networking.knative.dev/${key}`]: 'a' })]),
      ),
      readable: annotations({
        'networking.knative.dev/ingress-class': 'a',
        [`${SERVING}/progress-deadline`]: '30m',
        [`queue.sidecar.${SERVING}/memory-resource-limit`]: '1Gi',
        [`queue.sidecar.${SERVING}/resource-percentage`]: '20',
      }),
    },
  },
  {
    rule: 'serving/knative-traffic-valid',
    fires: {
      'no traffic': route(),
      'too little': route({ ...latest, percent: 99 }),
      'beyond its bounds': route({ ...latest, percent: 101 }, { configurationName: 'b', percent: -1 }),
      'neither name': route({ percent: 100 }),
      'both names': route({ ...latest, revisionName: 'a' }),
      'a name that is none': route({ percent: 100, revisionName: 'a b' }),
      'pinned to the latest': route({ percent: 100, revisionName: 'a', latestRevision: true }),
      'a tag twice': route({ ...latest, tag: 'a' }, { configurationName: 'b', tag: 'a' }),
      'a tag that is no label': route({ ...latest, tag: 'A' }),
      'an address': route({ ...latest, url: 'http://a' }),
      'a configuration in a Service': serviceTo(latest),
    },
    silent: {
      all: route(latest),
      shared: route({ ...latest, percent: 90, tag: 'b' }, { revisionName: 'a-1', percent: 10, latestRevision: false }),
      'a Service': serviceTo({ percent: 100, latestRevision: true }),
      'the default of a Service': [serving('Service', {})],
    },
  },
  {
    rule: 'serving/knative-domain-mapping-valid',
    fires: {
      'one part': mapping('chat', target),
      'upper case': mapping('Chat.example.com', target),
      'in the cluster': mapping('chat.ai.svc.cluster.local', target),
      'no kind': mapping('chat.example.com', { ...target, kind: '' }),
      'a group': mapping('chat.example.com', { ...target, group: SERVING }),
      'another namespace': mapping('chat.example.com', { ...target, namespace: 'other' }),
      'a prefix': [serving('DomainMapping', { name: 'a.example.com', generateName: 'a' }, { ref: target })],
    },
    silent: {
      'a domain': mapping('chat.example.com', { ...target, namespace: 'ai' }),
      'two parts': mapping('example.com', target),
      'a name that is no string, which schema/type reports': mapping('chat.example.com', { ...target, name: 5 }),
    },
  },
];
