/**
 * Documents of the unit tests of the server tier, each with what its test expects of it. Their verdicts are recorded, so that the tests are true.
 */
import { OBJECT_FAULTS, POD_FAULTS } from './faults';
import { broken } from './faults/fault';
import { changedPod } from './faults/pod-fault';
import { LIMIT_CASES } from './limit-cases';
import { type Json } from './valid';

export interface ServerCase {
  readonly what: string;
  readonly object: Json;
  readonly isValid: boolean;
}

export function serverCases(): readonly ServerCase[] {
  return [
    ...LIMIT_CASES.map(({ what, object, faults }) => ({ what, object, isValid: faults.length === 0 })),
    ...OBJECT_FAULTS.map((fault) => ({ what: `${fault[0]}: ${fault[1]}`, object: broken(fault), isValid: false })),
    ...POD_FAULTS.map(([rule, what, change]) => ({
      what: `${rule}: ${what}`,
      object: changedPod(change),
      isValid: false,
    })),
  ];
}
