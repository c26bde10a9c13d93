/**
 * Devices by claim on random worlds, compared with the allocator of Kubernetes: where the search ends within its bound, the same worlds are
 * feasible, and the first choice is equal.
 */
import { type DeviceAllocation } from '../../../src/placement/claims/allocate';
import { allocated, lineOf } from '../../placement/claims/compare';
import { observesConstraints } from '../../placement/claims/observed';
import { makeWorld, type World } from '../../placement/claims/worlds';
import { Random } from '../../support/random';
import { askOracle, buildOracle, type OracleAnswer, whyNoOracle } from './oracle';

const WORLDS = Number(process.env.GANTRY_CLAIM_WORLDS ?? 3000);
const SEED = Number(process.env.GANTRY_SEED ?? 20261122);

(whyNoOracle() === undefined ? test : test.skip)('devices are allocated as Kubernetes allocates them', () => {
  const worlds = Array.from({ length: WORLDS }, (_, index) => makeWorld(new Random(SEED + index)));
  const answers = askOracle(buildOracle(), worlds);
  const results = worlds.map((world) => allocated(world));
  const differing = worlds.flatMap((world, index) => {
    const why = difference(world, results[index], answers[index]);
    return why === undefined ? [] : `${SEED + index}: ${why}`;
  });
  expect(differing).toEqual([]);
  // The search here is bounded by steps, upstream's by time.
  expect(results.filter(({ kind }) => kind === 'undecided').length).toBeLessThanOrEqual(WORLDS / 500);
  expect(answers.filter(({ claims }) => claims !== undefined).length).toBeGreaterThan(WORLDS / 10);
});

function difference(
  world: World,
  ours: DeviceAllocation | undefined,
  answer: OracleAnswer | undefined,
): string | undefined {
  if (ours === undefined || answer === undefined) {
    return 'no answer';
  }
  if (ours.kind === 'allocated' && !observesConstraints(world, ours.claims)) {
    return 'a constraint is not observed';
  }
  if (answer.error !== undefined) {
    return differsFromError(ours.kind, answer.error) ? `${ours.kind}, upstream: ${answer.error}` : undefined;
  }
  // For distinct values, upstream compares a device only with the last one of the same request.
  if (ours.kind === 'undecided' || (answer.claims !== undefined && !observesConstraints(world, answer.claims))) {
    return undefined;
  }
  const line = ours.kind === 'allocated' ? lineOf(ours.claims) : ours.kind;
  const expected = lineOf(answer.claims);
  return line === expected ? undefined : `${line}, upstream: ${expected}`;
}

/** Upstream gives up a claim whose `All` breaks a constraint, where another alternative may satisfy it. */
function differsFromError(kind: string, error: string): boolean {
  if (/asks for all devices, but/.test(error)) {
    return kind !== 'wait';
  }
  return /a claim constraint would not be satisfied/.test(error) ? kind === 'wait' : kind !== 'none';
}
