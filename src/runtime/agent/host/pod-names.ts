/**
 * Names of the node's pods by UID: the kubelet writes the logs of a pod into `/var/log/pods/NAMESPACE_NAME_UID`.
 */
import { type HostRoot } from './host-root';

const LOGS = 'var/log/pods';
const FOLDER = /^([a-z0-9-]{1,63})_([a-z0-9.-]{1,253})_([0-9a-f-]{8,64})$/;

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export async function readPodNames(root: HostRoot): Promise<ReadonlyMap<string, PodName>> {
  const names = new Map<string, PodName>();
  for (const folder of await root.list(LOGS)) {
    const found = FOLDER.exec(folder);
    if (found !== null) {
      names.set(found[3], { namespace: found[1], name: found[2] });
    }
  }
  return names;
}
