/**
 * Devices of nodes that claims hold: the table of nodes has the same amounts after any history of pods as in a session built from scratch.
 */
import { type ClusterNode, DEFAULT_POLICY, type Pod, type Snapshot } from '../../../src/placement';
import { Session } from '../../../src/placement/books/session';
import { type ClaimableDevices, type ClaimFacts, deviceKey } from '../../../src/placement/model/claims';
import { Random } from '../../support/random';
import { alternative, device, slicesOf } from './gangs';

const NODES = ['n0', 'n1', 'n2'];
const DEVICES = ['a', 'b', 'c', 'c-half'];

function claimableOf(node: string): ClaimableDevices {
  const key = (name: string): string => deviceKey({ driver: 'd', pool: node, device: name });
  return new Map([
    ...['a', 'b', 'c'].map((name, index) => [key(name), { device: index, milli: 1000 }] as const),
    [key('c-half'), { device: 2, milli: 500 }],
  ]);
}

function nodeNamed(name: string, cordoned: boolean): ClusterNode {
  return {
    name,
    allocatable: { cpu: 4000, pods: 10, 'nvidia.com/gpu': 3 },
    devices: [{}, {}, {}],
    claimable: claimableOf(name),
    ...(cordoned && { unschedulable: true }),
  };
}

interface World {
  readonly cordoned: ReadonlySet<string>;
  /** Index in `held` of what each pod has. */
  readonly pods: ReadonlyMap<string, number>;
}

/** Each claim holds one device for good; its pods come and go. */
const held = NODES.flatMap((node) => DEVICES.map((name) => ({ node, name })));

function snapshotOf({ cordoned, pods }: World, claims: Snapshot['deviceClaims']): Snapshot {
  return {
    now: 0,
    nodes: NODES.map((name) => nodeNamed(name, cordoned.has(name))),
    queues: [{ name: 'q' }],
    gangs: [],
    pods: [...pods].map(([name, index]): Pod => ({
      name,
      state: 'running',
      node: held[index].node,
      template: { request: { cpu: 100 }, claims: [`claim-${index}`] },
    })),
    deviceClaims: claims,
  };
}

test('the table of nodes knows what claims hold after any history', () => {
  const random = new Random(20261124);
  const slices = NODES.flatMap((node) =>
    slicesOf(
      node,
      DEVICES.map((name) => device(name)),
    ),
  );
  for (let history = 0; history < 40; history++) {
    const claims = new Map(
      held.map(({ node, name }, index): [string, ClaimFacts] => [
        `claim-${index}`,
        {
          title: `claim ${index}`,
          shared: true,
          claim: { name: 'c', requests: [{ name: 'r', alternatives: [alternative()] }], constraints: [] },
          allocation: {
            devices: [{ driver: 'd', pool: node, device: name, request: 'r', adminAccess: false }],
            nodes: (on) => on === node,
            retained: index % 5 === history % 5,
          },
        },
      ]),
    );
    const deviceClaims = { slices, claims };
    const cordoned = new Set<string>();
    const pods = new Map<string, number>();
    const session = new Session(snapshotOf({ cordoned, pods }, deviceClaims), DEFAULT_POLICY);
    for (let step = 0; step < 12; step++) {
      const name = `p${random.below(8)}`;
      if (random.below(4) === 0) {
        const node = NODES[random.below(NODES.length)];
        if (!cordoned.delete(node)) {
          cordoned.add(node);
        }
      } else if (!pods.delete(name)) {
        pods.set(name, random.below(held.length));
      }
      const snapshot = snapshotOf({ cordoned, pods }, deviceClaims);
      session.catchUp(snapshot, DEFAULT_POLICY);
      const { table } = new Session(snapshot, DEFAULT_POLICY);
      expect([...session.table.deviceFree]).toEqual([...table.deviceFree]);
      expect([...session.table.wholeFree]).toEqual([...table.wholeFree]);
    }
  }
});
