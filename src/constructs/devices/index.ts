/**
 * Devices by claim: what pods ask of dynamic resource allocation, in the form that the target minor serves.
 *
 * What a pod asks of device plugins is `Accelerator`, beside the rest of the pod.
 */
export { ClaimSharing, type MpsClaimOptions } from './claim-sharing';
export { ComputeDomain, type ComputeDomainProps } from './compute-domain';
export { DeviceClass, type DeviceClassProps } from './device-class';
export { deviceClassQuota, type TimeSliceInterval } from './dra-facts';
export {
  type ClaimStatement,
  type DeviceConstraint,
  type DeviceOptions,
  type DeviceRequest,
  type DriverConfig,
} from './device-request';
export { DeviceSelector } from './device-selector';
export {
  GpuClaim,
  type GpuClaimProps,
  ResourceClaimTemplate,
  type ResourceClaimTemplateProps,
} from './resource-claim-template';
