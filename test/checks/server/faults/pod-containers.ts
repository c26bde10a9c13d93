/**
 * Containers: a fault for each rule, made in a pod that is otherwise valid.
 */
import { main, added, type PodFault } from './pod-fault';

export const POD_CONTAINERS_FAULTS: readonly PodFault[] = [
  ['pod-has-container', 'no containers', (spec) => (spec.containers = [])],
  ['container-name-required', 'no name', (spec) => delete main(spec).name],
  ['container-name-valid', 'an underscore', (spec) => (main(spec).name = 'my_app')],
  [
    'container-name-unique',
    'an init container of the same name',
    (spec) => added(spec, 'initContainers', { name: 'main', image: 'a' }),
  ],
  ['container-image-required', 'no image', (spec) => delete main(spec).image],
  ['container-image-required', 'null as image', (spec) => (main(spec).image = null)],
  ['container-image-without-blanks', 'a blank in front', (spec) => (main(spec).image = ' img')],
  ['container-port-valid', 'port 70000', (spec) => (main(spec).ports = [{ containerPort: 70000 }])],
  ['container-port-valid', 'no number', (spec) => (main(spec).ports = [{ name: 'http' }])],
  ['container-port-valid', 'protocol HTTP', (spec) => (main(spec).ports = [{ containerPort: 1, protocol: 'HTTP' }])],
  [
    'container-port-name-valid',
    'a long name',
    (spec) => (main(spec).ports = [{ containerPort: 1, name: 'much-too-long-a-name' }]),
  ],
  [
    'host-port-unique',
    'one host port twice',
    (spec) =>
      (main(spec).ports = [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 2, hostPort: 9 },
      ]),
  ],
  [
    'host-network-port-equals-container-port',
    'ports that differ',
    (spec) => {
      spec.hostNetwork = true;
      delete spec.hostnameOverride;
      main(spec).ports = [{ containerPort: 80, hostPort: 81 }];
    },
  ],
  ['image-pull-policy-valid', 'a wrong word', (spec) => (main(spec).imagePullPolicy = 'Sometimes')],
  ['termination-message-policy-valid', 'a wrong word', (spec) => (main(spec).terminationMessagePolicy = 'Log')],
  [
    'container-restart-policy-valid',
    'rules without a policy',
    (spec) => (main(spec).restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }]),
  ],
  [
    'container-restart-rules-valid',
    'no exit codes',
    (spec) => {
      main(spec).restartPolicy = 'Never';
      main(spec).restartPolicyRules = [{ action: 'Restart' }];
    },
  ],
  [
    'resize-policy-valid',
    'a device',
    (spec) => (main(spec).resizePolicy = [{ resourceName: 'nvidia.com/gpu', restartPolicy: 'NotRequired' }]),
  ],
  [
    'no-ephemeral-container-at-creation',
    'a debugger',
    (spec) => (spec.ephemeralContainers = [{ name: 'debug', image: 'busybox' }]),
  ],
  [
    'init-container-without-probes',
    'a probe',
    (spec) => added(spec, 'initContainers', { name: 'i', image: 'a', livenessProbe: { exec: { command: ['ls'] } } }),
  ],
  ['env-name-valid', 'an equals sign', (spec) => (main(spec).env = [{ name: 'A=B' }])],
  [
    'env-value-from-exactly-one',
    'value and valueFrom',
    (spec) => (main(spec).env = [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }]),
  ],
  [
    'env-source-valid',
    'a field that is none',
    (spec) => (main(spec).env = [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }]),
  ],
  [
    'env-source-valid',
    'a divisor for cpu',
    (spec) =>
      (main(spec).env = [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1Mi' } } }]),
  ],
  ['env-from-exactly-one', 'no source', (spec) => (main(spec).envFrom = [{ prefix: 'A' }])],
  [
    'handler-exactly-one',
    'two handlers',
    (spec) => (main(spec).livenessProbe = { exec: { command: ['ls'] }, tcpSocket: { port: 1 } }),
  ],
  ['handler-exactly-one', 'no handler', (spec) => (main(spec).lifecycle = { preStop: {} })],
  ['handler-valid', 'no command', (spec) => (main(spec).livenessProbe = { exec: {} })],
  ['handler-valid', 'port 0', (spec) => (main(spec).livenessProbe = { httpGet: { path: '/', port: 0 } })],
  [
    'sleep-within-grace-period',
    'a long sleep',
    (spec) => (main(spec).lifecycle = { preStop: { sleep: { seconds: 31 } } }),
  ],
  [
    'probe-numbers-valid',
    'two successes for liveness',
    (spec) => (main(spec).livenessProbe = { tcpSocket: { port: 1 }, successThreshold: 2 }),
  ],
];
