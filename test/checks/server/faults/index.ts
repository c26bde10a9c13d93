/**
 * Faults for all rules about built-in objects and pods.
 */
import { ADMISSION_FAULTS } from './admission';
import { DEVICES_FAULTS } from './devices';
import { type ObjectFault } from './fault';
import { NETWORK_FAULTS } from './network';
import { POD_CONTAINERS_FAULTS } from './pod-containers';
import { type PodFault } from './pod-fault';
import { POD_NAMES_FAULTS } from './pod-names';
import { POD_RESOURCES_FAULTS } from './pod-resources';
import { POD_SCHEDULING_FAULTS } from './pod-scheduling';
import { POD_SECURITY_FAULTS } from './pod-security';
import { POD_VOLUMES_FAULTS } from './pod-volumes';
import { RECORDS_FAULTS } from './records';
import { STORAGE_FAULTS } from './storage';
import { TENANTS_FAULTS } from './tenants';
import { WORKLOADS_FAULTS } from './workloads';

export const OBJECT_FAULTS: readonly ObjectFault[] = [
  ...WORKLOADS_FAULTS,
  ...TENANTS_FAULTS,
  ...NETWORK_FAULTS,
  ...STORAGE_FAULTS,
  ...DEVICES_FAULTS,
  ...ADMISSION_FAULTS,
  ...RECORDS_FAULTS,
];

export const POD_FAULTS: readonly PodFault[] = [
  ...POD_CONTAINERS_FAULTS,
  ...POD_RESOURCES_FAULTS,
  ...POD_VOLUMES_FAULTS,
  ...POD_SECURITY_FAULTS,
  ...POD_SCHEDULING_FAULTS,
  ...POD_NAMES_FAULTS,
];
