/**
 * Networks that pods attach to beside the cluster's: who drives the cards, who offers their devices, and what an attachment is.
 */
export {
  Cni,
  type HostDeviceCniOptions,
  type IbSriovCniOptions,
  type IpoibCniOptions,
  type LinkState,
  type MacvlanCniOptions,
  type SriovCniOptions,
} from './cni';
export { type DeviceReference } from './device-reference';
export { type HostLocalOptions, Ipam, type Route, type WhereaboutsOptions } from './ipam';
export { NetworkAttachmentDefinition, type NetworkAttachmentDefinitionProps } from './network-attachment-definition';
export {
  type ConfiguredCards,
  NicConfigurationTemplate,
  type NicConfigurationTemplateProps,
  type NicRoceOptions,
  type NicSpectrumXOptions,
} from './nic-configuration';
export {
  NicClusterPolicy,
  type NicClusterPolicyProps,
  NicNodePolicy,
  type NicNodePolicyProps,
  type OfedDriverOptions,
  type OfferedDevice,
  type SharedDevicesOptions,
  type SriovDevicesOptions,
} from './nic-policy';
export {
  Attribute,
  type Features,
  NodeFeatureRule,
  type NodeFeatureRuleEntry,
  type NodeFeatureRuleProps,
} from './node-feature-rule';
export { type OperatorImage } from './operator-image';
export {
  HostDeviceNetwork,
  type HostDeviceNetworkProps,
  IPoIBNetwork,
  type IPoIBNetworkProps,
  MacvlanNetwork,
  type MacvlanNetworkProps,
} from './operator-networks';
export { type CardSelectors, type SharedDevicePool, type SriovDevicePool } from './shared-device';
export {
  type NicSelector,
  SriovIBNetwork,
  type SriovIBNetworkProps,
  SriovNetwork,
  SriovNetworkNodePolicy,
  type SriovNetworkNodePolicyProps,
  type SriovNetworkProps,
  type SriovResourceReference,
} from './sriov';
