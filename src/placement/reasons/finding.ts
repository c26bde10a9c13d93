/**
 * What is known of a gang that waits, before it is put into words.
 */
import { type PendingGang, type PendingKind } from '../model/decision';

/** A gang that waits for a MIG configuration needs no finding: the decision says all. */
export type Finding = Pick<PendingGang, 'role' | 'blocked' | 'fits' | 'needed' | 'nearest'> & {
  readonly kind: Exclude<PendingKind, 'repartition'>;
  readonly words: string;
};
