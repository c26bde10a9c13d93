/**
 * Fields of a pod in the words of the object that contains its template: rules on pods say `spec.tolerations`, which is
 * `template.spec.tolerations` in a Deployment.
 */
import { fieldPathOf } from '../../manifests/pointer';

/** Fields that only the spec of a pod has, in any kind that contains a template. */
const POD_FIELD =
  /(?<![\w.\]"/-])spec\.(?=(?:affinity|automountServiceAccountToken|containers|dnsConfig|dnsPolicy|enableServiceLinks|ephemeralContainers|host(?:Aliases|IPC|Network|PID|Users|name(?:Override)?)|imagePullSecrets|initContainers|nodeName|nodeSelector|os|overhead|preemptionPolicy|priority|priorityClassName|readinessGates|resourceClaims|restartPolicy|runtimeClassName|schedulerName|schedulingG(?:ates|roup)|securityContext|serviceAccountName|setHostnameAsFQDN|shareProcessNamespace|subdomain|terminationGracePeriodSeconds|tolerations|topologySpreadConstraints|volumes|workloadRef)\b)/g;

/** @param path of the template in its object */
export function inTemplate(text: string, path: string): string {
  const template = fieldPathOf(path).replace(/^spec(?:\.|$)/, '');
  return template === '' ? text : text.replace(POD_FIELD, `${template}.spec.`);
}
