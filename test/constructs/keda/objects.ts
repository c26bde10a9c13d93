/**
 * KEDA's objects as YAML, for rule tests: the least that passes every rule, with what a test changes.
 */

/** Lines, moved right. */
export function indented(text: string, by: number): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n');
}

export const QUEUE = `
type: rabbitmq
metadata: {queueName: jobs, mode: QueueLength, value: "5", host: "amqp://guest:guest@rabbit:5672/"}
`;

export const CPU = `
type: cpu
metricType: Utilization
metadata: {value: "70"}
`;

export const CRON = `
type: cron
metadata: {timezone: Europe/Berlin, start: 0 8 * * 1-5, end: 0 18 * * 1-5, desiredReplicas: "3"}
`;

export function prometheus(query: string, more = ''): string {
  return `
type: prometheus
metadata:
  serverAddress: http://prometheus.monitoring:9090
  threshold: "10"
  query: ${JSON.stringify(query)}
${indented(more, 2)}
`;
}

interface Scaled {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: string;
  readonly target?: string;
  /** Further lines of the spec. */
  readonly spec?: string;
}

function listed(triggers: readonly string[]): string {
  return triggers.map((trigger) => indented(trigger, 4).replace(/^ {4}/, '  - ')).join('\n');
}

export function scaledObject(
  triggers: readonly string[],
  { name = 'chat', namespace = 'serving', annotations = '{}', target = '{name: chat}', spec = '' }: Scaled = {},
): string {
  return `---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: ${name}, namespace: ${namespace}, annotations: ${annotations}}
spec:
  scaleTargetRef: ${target}
${indented(spec, 2)}
  triggers:
${listed(triggers)}
`;
}

export function scaledJob(
  triggers: readonly string[],
  { name = 'embed', namespace = 'serving', annotations = '{}', spec = '' }: Scaled = {},
): string {
  return `---
apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: {name: ${name}, namespace: ${namespace}, annotations: ${annotations}}
spec:
  jobTargetRef:
    template:
      spec:
        restartPolicy: Never
        containers: [{name: main, image: registry.example.com/embed:1}]
${indented(spec, 2)}
  triggers:
${listed(triggers)}
`;
}

export function deployment(
  container = 'resources: {requests: {cpu: "1", memory: 1Gi}}',
  { kind = 'Deployment', name = 'chat', namespace = 'serving', spec = '' } = {},
): string {
  return `---
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec:
${indented(spec, 2)}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: server
          image: registry.example.com/chat:1
${indented(container, 10)}
`;
}

export function authentication(
  spec: string,
  { kind = 'TriggerAuthentication', name = 'broker', namespace = 'serving' } = {},
): string {
  return `---
apiVersion: keda.sh/v1alpha1
kind: ${kind}
metadata: {name: ${name}${kind === 'TriggerAuthentication' ? `, namespace: ${namespace}` : ''}}
spec:
${indented(spec, 2)}
`;
}

export function limitRange(limits: string): string {
  return `---
apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: serving}
spec: {limits: [${limits}]}
`;
}

export function hpa(annotations = '{}', target = '{apiVersion: apps/v1, kind: Deployment, name: chat}'): string {
  return `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: by-hand, namespace: serving, annotations: ${annotations}}
spec:
  maxReplicas: 3
  scaleTargetRef: ${target}
`;
}

/** A rule, what is wrong, manifests on which the rule fires, and manifests on which it is silent. */
export type RuleCase = readonly [rule: string, what: string, wrong: string, right: string];

/** A trigger without its host, which an authentication gives. */
export const byBroker = `authenticationRef: {name: broker}\n${QUEUE.replace(/, host: "[^"]*"/, '')}`;
