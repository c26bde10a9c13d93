/**
 * AscendDevicePlugin: the device plugin of Huawei Ascend on the nodes of one kind of NPU.
 */
import { type Carried, type CarriedMap, passed } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { type Toleration } from '../../facts/api/types/core/v1';
import { nodeDaemonSet } from '../resources/node-daemon-set';
import { type DaemonSet } from '../../facts/api/types/apps/v1';
import { type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { publicClass } from '../resources/public-class';
import { type Resource } from '../resources/resource';

/** NPUs by the resource that they are counted as. */
export type AscendChip = '910' | '310P' | '310';

/** Props of an AscendDevicePlugin. */
export interface AscendDevicePluginProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default kube-system */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Image of the plugin. Upstream publishes archives to build it from, not an image: name yours, with its tag. */
  readonly image: Carried<string>;
  /** Chip of the nodes. @default 910 */
  readonly chip?: AscendChip;
  /**
   * Whether Volcano's NPU plugin chooses the devices. It then needs `Accelerator.ascend({ devicesFromVolcano: true })` in pods.
   * @default true
   */
  readonly volcano?: boolean;
  /** Whether vNPUs are made beforehand (`huawei.com/Ascend910-2c`) rather than on demand. Must agree with `AscendVolcano`. @default true */
  readonly presetVirtualDevices?: boolean;
  /** Labels of the nodes that the plugin runs on. @default - the label `accelerator` of the chip, huawei-Ascend910 */
  readonly nodeSelector?: CarriedMap<string>;
  /**
   * Tolerations of the pods of the plugin.
   * @default - CriticalAddonsOnly, the taint of the chip, and device-plugin=v2
   */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Serves the NPUs of each node, and with Volcano writes which of them a pod got.
 *
 * The nodes need the label `accelerator` (`huawei-Ascend910`), and for Volcano `accelerator-type` and `host-arch` too.
 *
 * Rules: `ascend/*`. Source: Ascend mind-cluster, component/ascend-device-plugin/build.
 *
 * @example
 * new ascend.AscendDevicePlugin(chart, 'npus', { image: 'registry.example.com/ascend-k8sdeviceplugin:v26.0.0' });
 */
@publicClass('ascend.AscendDevicePlugin')
export class AscendDevicePlugin extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;

  constructor(scope: Construct, id: string, props: AscendDevicePluginProps) {
    super(scope, id);
    const { chip = '910', volcano = true, presetVirtualDevices = true } = props;
    const resource = `huawei.com/Ascend${chip}`;
    this.name = props.name ?? `ascend-device-plugin-${chip.toLowerCase()}`;
    const flags = [
      `-useAscendDocker=${String(!volcano || presetVirtualDevices)}`,
      `-volcanoType=${String(volcano)}`,
      `-presetVirtualDevice=${String(presetVirtualDevices)}`,
      '-logFile=/var/log/mindx-dl/devicePlugin/devicePlugin.log',
      '-logLevel=0',
    ];
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? 'kube-system',
      podLabels: { name: this.name },
      nodeSelector: props.nodeSelector ?? { accelerator: `huawei-Ascend${chip}` },
      tolerations: props.tolerations ?? [
        { key: 'CriticalAddonsOnly', operator: 'Exists' },
        { key: resource, operator: 'Exists', effect: 'NoSchedule' },
        { key: 'device-plugin', operator: 'Equal', value: 'v2', effect: 'NoSchedule' },
      ],
      permissions: [
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'update', 'watch', 'patch'] },
        { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] },
        { apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] },
        { apiGroups: [''], resources: ['nodes/status'], verbs: ['get', 'patch', 'update'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'list', 'watch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create'] },
      ],
      container: {
        name: 'device-plugin',
        image: passed(props.image),
        command: ['/bin/bash', '-c', '--'],
        args: [`device-plugin ${flags.join(' ')}`],
        env: [
          { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
        ],
        resources: { requests: { cpu: '500m', memory: '500Mi' }, limits: { cpu: '500m', memory: '500Mi' } },
        securityContext: { privileged: true, readOnlyRootFilesystem: true },
      },
      hostMounts: [
        { name: 'device-plugin', path: '/var/lib/kubelet/device-plugins' },
        { name: 'pod-resource', path: '/var/lib/kubelet/pod-resources' },
        { name: 'hiai-driver', path: '/usr/local/Ascend/driver', readOnly: true },
        { name: 'log-path', path: '/var/log/mindx-dl/devicePlugin', type: 'DirectoryOrCreate' },
        { name: 'reset-config-dir', path: '/user/restore/reset', type: 'DirectoryOrCreate' },
        { name: 'vnpu-cut', path: '/run/vnpu_cfg_lock', type: 'DirectoryOrCreate' },
        { name: 'tmp', path: '/tmp' },
        { name: 'localtime', path: '/etc/localtime', readOnly: true },
      ],
    });
  }
}
