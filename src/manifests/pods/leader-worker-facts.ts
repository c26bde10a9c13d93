/**
 * Names of LeaderWorkerSet and DisaggregatedSet that constructs write and rules read.
 */
import { cite } from '../../facts/upstream';

export const LWS_PROJECT = cite('lws');
export const LEADER_WORKER_SET_KIND = 'leaderworkerset.x-k8s.io/LeaderWorkerSet';
export const DISAGGREGATED_SET_KIND = 'disaggregatedset.x-k8s.io/DisaggregatedSet';

export const EXCLUSIVE_TOPOLOGY = 'leaderworkerset.sigs.k8s.io/exclusive-topology';
export const SUBGROUP_EXCLUSIVE_TOPOLOGY = 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology';
/** Label of each pod: the same in all pods of one group, and in no other's. */
export const GROUP_KEY_LABEL = 'leaderworkerset.sigs.k8s.io/group-key';
