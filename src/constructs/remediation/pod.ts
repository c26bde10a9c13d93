/**
 * The pod of remediation: no more rights than it needs on its node, and a file system that it cannot write.
 */
import { type Container, type PodSpec, type Volume, type VolumeMount } from '../../facts/api/types/core/v1';
import { PROGRAM_MOUNT, programCommand, programVolume } from '../bundled/program-objects';

export const HTTP_PORT = 10272;
export const HTTP_PORT_NAME = 'http';
export const SETTINGS_KEY = 'settings.json';

export interface RemediationPodProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** Names of the ConfigMaps with the program. */
  readonly program: readonly string[];
  /** ConfigMap of the settings. */
  readonly settings: string;
  readonly serviceAccount: string;
  readonly mode: 'dry-run' | 'active';
  readonly replicas: number;
  /** The token that Alertmanager sends, and the ConfigMap of alerts. Absent: no alert is received. */
  readonly webhook?: { readonly secret: string; readonly key: string; readonly alerts: string };
}

const SETTINGS_FOLDER = '/etc/gantry';
const TOKEN_FOLDER = '/etc/gantry-alerts';
/** Mebibytes; V8's heap is three quarters of it. */
const MEMORY_LIMIT = 256;
const HEAP_SHARE = 0.75;

export function remediationPod(props: RemediationPodProps): PodSpec {
  const { webhook, labels, replicas } = props;
  const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  const token: readonly Volume[] =
    webhook === undefined
      ? []
      : [
          {
            name: 'alert-token',
            secret: { secretName: webhook.secret, items: [{ key: webhook.key, path: 'token' }], defaultMode: 0o440 },
          },
        ];
  return {
    serviceAccountName: props.serviceAccount,
    priorityClassName: 'system-cluster-critical',
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    // A node that fails must not take all replicas with it.
    ...(replicas === 1
      ? {}
      : {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
            },
          },
        }),
    tolerations: [
      { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'CriticalAddonsOnly', operator: 'Exists' },
    ],
    containers: [containerOf(props)],
    volumes: [{ name: 'settings', configMap: { name: props.settings } }, programVolume(props.program), ...token],
  };
}

function containerOf({ image, mode, name, webhook }: RemediationPodProps): Container {
  const mounts: readonly VolumeMount[] = [
    { name: 'settings', mountPath: SETTINGS_FOLDER, readOnly: true },
    PROGRAM_MOUNT,
    ...(webhook === undefined ? [] : [{ name: 'alert-token', mountPath: TOKEN_FOLDER, readOnly: true }]),
  ];
  return {
    name: 'remediation',
    image,
    command: programCommand(MEMORY_LIMIT * HEAP_SHARE),
    args: [
      `--mode=${mode}`,
      `--config=${SETTINGS_FOLDER}/${SETTINGS_KEY}`,
      '--address=0.0.0.0',
      `--port=${HTTP_PORT}`,
      `--lease-name=${name}`,
      ...(webhook === undefined ? [] : [`--alert-token-file=${TOKEN_FOLDER}/token`, `--alerts-name=${webhook.alerts}`]),
    ],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ],
    ports: [{ name: HTTP_PORT_NAME, containerPort: HTTP_PORT }],
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: `${MEMORY_LIMIT}Mi` } },
    startupProbe: { httpGet: { path: '/healthz', port: HTTP_PORT_NAME }, periodSeconds: 5, failureThreshold: 24 },
    livenessProbe: { httpGet: { path: '/healthz', port: HTTP_PORT_NAME }, periodSeconds: 30, failureThreshold: 4 },
    readinessProbe: { httpGet: { path: '/readyz', port: HTTP_PORT_NAME }, periodSeconds: 10 },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: mounts,
  };
}
