/**
 * A whole platform from one statement.
 */
export { GantrySystem, type GantrySystemOptions } from './gantry-system';
export { type GpuPlatformOverrides } from './platform-overrides';
export { GpuPlatform, type GpuPlatformProps, type UsualRung } from './gpu-platform';
export { KueueSystem, type KueueSystemOptions } from './kueue-system';
export { type InfinibandOptions, PlatformNetwork, type RoceOptions } from './network';
export { PlatformPool, type PlatformPoolProps } from './node-pool';
export { type Nodes, PlatformTeam, type PlatformTeamProps } from './platform-team';
export { type PoolDeviceProps, type PoolDevices } from './pool-devices';
export { type InstalledVendors, type NotInstalled, type VendorOptions } from './vendor-operators';
export { SchedulingSystem } from './scheduling-system';
export { VolcanoSystem, type VolcanoSystemOptions } from './volcano-system';
