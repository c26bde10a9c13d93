/**
 * The two teams, each with what it may ask for (its quota) and what it can always get back (its queue's deserved share).
 *
 * 12 + 12 nodes of quota on a cluster of 20: teams may use what the other leaves idle. 12 + 8 nodes of deserved share: when both
 * want all they can have, `applied` shrinks to eight nodes.
 */
import { Chart } from 'cdk8s';
import { Team } from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { nodes } from './cluster';
import { type Platform } from './platform';

/** Datasets and checkpoints of a team. */
const STORAGE = { storage: '300Ti', persistentVolumeClaims: 20 };

/** Pods that use RDMA pin their memory (IPC_LOCK), which the level below refuses. */
const POD_SECURITY = 'privileged';

export class Teams extends Chart {
  readonly research: Team;
  readonly applied: Team;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    this.research = new Team(this, 'research', {
      quota: { ...nodes(12), ...STORAGE },
      // Eight nodes are kept for the pre-training run, even while it restarts.
      queue: { parent: platform.ai, deserved: nodes(12), guarantee: nodes(8) },
      podSecurity: POD_SECURITY,
      admins: [{ kind: 'Group', name: 'research-leads' }],
      members: [{ kind: 'Group', name: 'research' }],
    });
    this.applied = new Team(this, 'applied', {
      quota: { ...nodes(12), ...STORAGE },
      queue: { parent: platform.ai, deserved: nodes(8) },
      podSecurity: POD_SECURITY,
      admins: [{ kind: 'Group', name: 'applied-leads' }],
      members: [{ kind: 'Group', name: 'applied' }],
    });
  }
}
