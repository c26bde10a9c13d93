/**
 * Small worlds for tests of the simulation, written as a scenario file would be.
 */
import { readScenario, simulate, type GangOutcome, type SimulationResult } from '../../../src/planning/simulation';

/** Nodes of eight devices, and one queue. */
export const BASE = {
  nodes: [{ name: 'node', count: 2, allocatable: { cpu: 96, memory: '1Ti', gpus: 8 } }],
  queues: [{ name: 'q' }],
};

export function run(more: Readonly<Record<string, unknown>>): SimulationResult {
  return simulate(readScenario(JSON.stringify({ ...BASE, ...more }), 'test.json', noFile));
}

export function noFile(name: string): never {
  throw new Error(`no cluster file ${name}`);
}

export function gang(result: SimulationResult, name: string): GangOutcome {
  const found = result.gangs.find((one) => one.name === name);
  if (found === undefined) {
    throw new Error(`no gang ${name}`);
  }
  return found;
}

/** What is wrong with a scenario. */
export function complaint(more: Readonly<Record<string, unknown>>): string {
  try {
    readScenario(
      JSON.stringify({ ...BASE, gangs: [{ name: 'a', queue: 'q', duration: 60 }], ...more }),
      'test.json',
      noFile,
    );
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
