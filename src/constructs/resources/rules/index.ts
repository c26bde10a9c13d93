import { type Rule } from '../../../checks/rule';
import { knownObjects } from './known-objects';
import { queueIsLeaf } from './leaf-queues';
import { backendPortExists, keyExists } from './parts';
import { podsFitQueue } from './queue-room';
import { selectsSomething } from './selections';

/** Rules on references between objects of a set, whatever their kinds. */
export const referenceRules: readonly Rule[] = [
  knownObjects,
  queueIsLeaf,
  podsFitQueue,
  selectsSomething,
  keyExists,
  backendPortExists,
];
