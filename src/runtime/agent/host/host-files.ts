/**
 * Everything that is read from the files of the host, one observation after the other.
 */
import { CgroupReader } from './cgroups';
import { HostRoot } from './host-root';
import { HugepageReader } from './hugepages';
import { RdmaReader } from './infiniband';
import { KeptFiles } from './kept-files';
import { PciReader } from './pci-devices';
import { type PodName, readPodNames } from './pod-names';
import { nodePressure, type Pressures } from './pressure';
import { XgmiReader } from './xgmi';

export class HostFiles {
  readonly root: HostRoot;
  readonly kept: KeptFiles;
  readonly cgroups: CgroupReader;
  readonly rdma: RdmaReader;
  readonly pci: PciReader;
  readonly xgmi: XgmiReader;
  readonly hugepages: HugepageReader;

  /** @param path the root of the host */
  constructor(path: string) {
    this.root = new HostRoot(path);
    this.kept = new KeptFiles(this.root);
    this.cgroups = new CgroupReader(this.root, this.kept);
    this.rdma = new RdmaReader(this.root, this.kept);
    this.pci = new PciReader(this.root);
    this.xgmi = new XgmiReader(this.root);
    this.hugepages = new HugepageReader(this.root, this.kept);
  }

  pressure(): Pressures {
    return nodePressure(this.kept);
  }

  podNames(): Promise<ReadonlyMap<string, PodName>> {
    return readPodNames(this.root);
  }
}
