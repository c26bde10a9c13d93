/**
 * Ray on Kubernetes, by KubeRay.
 */
export { RayCluster, type RayClusterProps, type RayClusterReference } from './ray-cluster';
export {
  type RayAutoscaler,
  type RayClusterParts,
  type RayHeadProps,
  type RayWorkerGroupProps,
} from './ray-cluster-spec';
export { RayJob, type RayJobProps } from './ray-job';
export { type IncrementalUpgrade, RayService, type RayServiceProps } from './ray-service';
