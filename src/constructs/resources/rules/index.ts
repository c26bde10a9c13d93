import { type Rule } from '../../../checks/rules/rule';
import { knownObjects } from './known-objects';
import { queueIsLeaf } from './leaf-queues';
import { noOutputText } from './output-text';
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
  noOutputText,
];
