/**
 * What agents on nodes report that the kubelet gave to pods.
 */
import { GANTRY_ALLOCATED_DEVICES } from '../../../facts/catalog/gantry-names';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import {
  allocatedDevices,
  type AllocatedDevices,
  NO_DEVICES_REPORTED,
} from '../../../planning/cluster/objects/allocated-devices';

export class DeviceReports {
  private readonly byNode = new Map<string, AllocatedDevices>();

  /** Nodes with a report. */
  get nodes(): number {
    return this.byNode.size;
  }

  of(node: string): AllocatedDevices | undefined {
    return this.byNode.get(node);
  }

  /** @returns the pods, by uid, whose devices the node reports differently than before */
  take(name: string, node: ClusterNode | undefined, object: JsonObject | undefined): readonly string[] {
    const report = asString(asObject(asObject(object?.metadata).annotations)[GANTRY_ALLOCATED_DEVICES]);
    const before = this.byNode.get(name) ?? NO_DEVICES_REPORTED;
    const after = allocatedDevices(report, node?.deviceResource, node?.devices?.length ?? 0);
    if (after.size === 0) {
      this.byNode.delete(name);
    } else {
      this.byNode.set(name, after);
    }
    const pods = [...new Set([...before.keys(), ...after.keys()])];
    return pods.filter((uid) => before.get(uid)?.join() !== after.get(uid)?.join());
  }
}
