/**
 * The fewest nodes of each domain that take a number of pods of one class, remembered until the room in the domain changes: a gang that
 * arrives changes few domains, and all of them are compared for it. Knows nothing of gangs.
 */
import { type Domain, type TopologyTree } from '../topology/domains';
import { type PodClass } from '../nodes/pod-class';
import { type Session } from '../books/session';
import { fewestRowsCount } from './fewest-rows';
import { RoomIndex } from './room-index';

/** Numbers of pods, each of one class, for which nodes are remembered for one topology. */
const MOST_KNOWN = 64;

interface Known {
  /** By domain. */
  readonly nodes: Float64Array;
  /** The stamp of the room of which that is the number. */
  readonly stamps: Int32Array;
}

export class DomainNodes {
  private readonly index: RoomIndex;
  private readonly known = new Map<TopologyTree, Map<string, Known>>();

  constructor(session: Session) {
    this.index = session.index(RoomIndex);
  }

  /** The number by domain, Infinity where the domain does not take the pods; until the books change. */
  of(podClass: PodClass, tree: TopologyTree, count: number): (domain: Domain) => number {
    const stamps = this.index.stamps(podClass, tree);
    const known = this.knownOf(tree, `${podClass.id} ${count}`);
    const roomOf = (row: number): number => this.index.ofRow(podClass, row);
    return ({ index, rows }) => {
      if (known.stamps[index] !== stamps[index]) {
        known.stamps[index] = stamps[index];
        known.nodes[index] = fewestRowsCount(rows, count, roomOf);
      }
      return known.nodes[index];
    };
  }

  private knownOf(tree: TopologyTree, key: string): Known {
    const ofTree = this.known.get(tree) ?? new Map<string, Known>();
    this.known.set(tree, ofTree);
    let known = ofTree.get(key);
    if (known === undefined) {
      if (ofTree.size === MOST_KNOWN) {
        ofTree.clear();
      }
      const { length } = tree.domains;
      known = { nodes: new Float64Array(length), stamps: new Int32Array(length).fill(-1) };
      ofTree.set(key, known);
    }
    return known;
  }
}
