/**
 * NicConfigurationTemplate of NVIDIA's NIC configuration operator: firmware and runtime settings of cards, among them those of RoCE.
 */
import { Construct } from 'constructs';
import {
  NicConfigurationTemplate as TemplateKind,
  type NicConfigurationTemplateSpec,
} from '../../facts/api/types/configuration.net.nvidia.com/v1alpha1';
import { definedJson } from '../../manifests/values/members';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { Resource } from '../resources/resource';

/**
 * Which cards of the nodes: all that are stated must hold.
 *
 * @beta
 */
export interface ConfiguredCards {
  /** PCI device id of the cards: `1021` for ConnectX-7, `1023` for ConnectX-8, `a2dc` for BlueField-3. */
  readonly type: string;
  /** PCI addresses, such as `0000:03:00.0`. @default - any */
  readonly pciAddresses?: readonly string[];
  /** Serial numbers, such as `MT2116X09299`. @default - any */
  readonly serialNumbers?: readonly string[];
}

/**
 * How cards carry RoCE.
 *
 * @beta
 */
export interface NicRoceOptions {
  /** What the priority of a packet is read from: the IP header (`dscp`), or the priority of the VLAN tag, which the operator calls `pfc`. @default 'dscp' */
  readonly trust?: 'dscp' | 'pfc';
  /** Priorities, 0 to 7, for which the card sends and respects pause frames (PFC). Switches must have the same. @default [3] */
  readonly losslessPriorities?: readonly number[];
  /** Type of service of RoCE packets, 1 to 255: DSCP times 4, with the ECN bits. @default - that of the card */
  readonly typeOfService?: number;
}

/**
 * How cards are set for a fabric of Spectrum-X switches.
 *
 * @beta
 */
export interface NicSpectrumXOptions {
  /** Version of NVIDIA's reference architecture that the fabric follows. */
  readonly version: 'RA1.3' | 'RA2.0';
  /** Overlay network of the fabric. @default 'none' */
  readonly overlay?: 'l3' | 'none';
}

/**
 * Props of a NicConfigurationTemplate.
 *
 * @beta
 */
export interface NicConfigurationTemplateProps extends NamespacedObjectProps, Overridable<TemplateKind> {
  /** The cards that are configured. */
  readonly cards: ConfiguredCards;
  /** Labels of the nodes. @default - all nodes with such cards */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** What the cards carry. */
  readonly linkType: 'Ethernet' | 'Infiniband';
  /** Virtual functions that the firmware offers; 0 disables SR-IOV. */
  readonly virtualFunctions: number;
  /** Settings of RoCE, for Ethernet: congestion control on all priorities, trust mode, PFC. @default - left as they are */
  readonly roce?: NicRoceOptions;
  /**
   * Settings for Spectrum-X, which include those of RoCE: for ConnectX-8 and BlueField-3 on Ethernet with one virtual function, without `roce` and
   * `firmware`. @default - left as they are
   */
  readonly spectrumX?: NicSpectrumXOptions;
  /** Size of a PCI read request in bytes, for throughput. @default - 4096 with gpuDirect, else left as it is */
  readonly maxReadRequest?: 128 | 256 | 512 | 1024 | 2048 | 4096;
  /** Optimizes for GPUDirect RDMA on bare metal, which includes PCI reads of 4,096 bytes. @default false */
  readonly gpuDirect?: boolean;
  /** Further parameters of the firmware, by their names in `mlxconfig`. @default - none */
  readonly firmware?: Readonly<Record<string, string>>;
}

/**
 * Settings of network cards, which NVIDIA's NIC configuration operator applies: it drains a node, changes the firmware, and reboots where that is
 * needed. Its namespace is that of the operator.
 *
 * Rules: `networking/nic-configuration-*`. MTU is a setting of networks (`SriovNetworkNodePolicy`, `MacvlanNetwork`).
 *
 * @beta
 * @example
 * new networking.NicConfigurationTemplate(chart, 'roce', {
 *   cards: { type: '1021' },
 *   nodeSelector: { 'example.com/fabric': 'roce' },
 *   linkType: 'Ethernet',
 *   virtualFunctions: 8,
 *   roce: { trust: 'dscp', losslessPriorities: [3], typeOfService: 106 },
 *   gpuDirect: true,
 * });
 */
@publicClass('networking.NicConfigurationTemplate')
export class NicConfigurationTemplate extends Construct {
  /** The NicConfigurationTemplate object. */
  readonly resource: Resource<TemplateKind>;

  /** @throws if a priority is not 0 to 7, or the type of service not 1 to 255 */
  constructor(scope: Construct, id: string, props: NicConfigurationTemplateProps) {
    super(scope, id);
    const { cards, maxReadRequest, gpuDirect = false, firmware, roce, spectrumX } = props;
    const spec: NicConfigurationTemplateSpec = {
      nicSelector: {
        nicType: cards.type,
        ...definedJson({ pciAddresses: cards.pciAddresses, serialNumbers: cards.serialNumbers }),
      },
      ...definedJson({ nodeSelector: props.nodeSelector }),
      template: {
        linkType: props.linkType,
        numVfs: props.virtualFunctions,
        ...(maxReadRequest === undefined && !gpuDirect
          ? {}
          : { pciPerformanceOptimized: { enabled: true, maxReadRequest: maxReadRequest ?? 4096 } }),
        ...(gpuDirect ? { gpuDirectOptimized: { enabled: true, env: 'Baremetal' } } : {}),
        ...(roce === undefined ? {} : { roceOptimized: { enabled: true, qos: qosOf(roce) } }),
        ...(spectrumX === undefined ? {} : { spectrumXOptimized: { enabled: true, ...spectrumX } }),
        ...(firmware === undefined
          ? {}
          : { rawNvConfig: Object.entries(firmware).map(([name, value]) => ({ name, value })) }),
      },
    };
    this.resource = new Resource(
      this,
      'Resource',
      TemplateKind,
      { metadata: namespacedMetadata(id, props), spec },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

function qosOf({ trust = 'dscp', losslessPriorities = [3], typeOfService }: NicRoceOptions): {
  readonly trust: string;
  readonly pfc: string;
  readonly tos?: number;
} {
  for (const priority of losslessPriorities) {
    requireBetween('roce.losslessPriorities', priority, 0, 7);
  }
  if (typeOfService !== undefined) {
    // The operator takes 0 for unset.
    requireBetween('roce.typeOfService', typeOfService, 1, 255);
  }
  const pfc = Array.from({ length: 8 }, (_, priority) => (losslessPriorities.includes(priority) ? '1' : '0')).join(',');
  return { trust, pfc, ...(typeOfService === undefined ? {} : { tos: typeOfService }) };
}

function requireBetween(prop: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new Error(`${prop} must be a whole number from ${least} to ${most}, not ${value}.`);
  }
}
