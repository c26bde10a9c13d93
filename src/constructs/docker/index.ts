/**
 * Docker hosts without Kubernetes: the files of a host on which `gantry docker` runs.
 */
export {
  type ContainerDevice,
  type ReservedAmounts,
  type RunnerDevice,
  type RunnerListener,
  type RunnerMigInstance,
  type RunnerSettings,
  type RunnerTenant,
  type TenantAmounts,
} from './runner-settings';
export { Host, type HostProps, type RunnerProgram } from './host';
