/**
 * What both recordings share: the manifests that questions are made of, the operators, and a server that answers.
 */
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import * as validObjects from '../../checks/server/valid-objects';
import * as valid from '../../checks/server/valid';
import { whyNoControlPlane } from '../control-plane/availability';
import { buildPrograms } from '../control-plane/build';
import { Cluster } from '../control-plane/cluster';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { applyCustomResources } from '../control-plane/custom-resources';
import { Discovery } from '../control-plane/discovery';
import { type BaseManifest, corpus } from './corpus';
import { type Answer, askBoth } from './differential';
import { edgeNumber, edgeText, manyItems } from './edge-operators';
import { OPERATORS, type Question } from './mutants';
import { type Operator } from './mutation';
import { prepareCluster } from './prepare';

export const RECORDED_OPERATORS: readonly Operator[] = [...OPERATORS, manyItems, edgeText, edgeNumber];

/** The corpus, and what the unit tests of the server tier begin with: one object of each built-in kind, and a Pod that uses most of its fields. */
export function recordedBases(): readonly BaseManifest[] {
  const ofUnitTests = [valid, validObjects]
    .flatMap((module) => Object.values(module) as (() => JsonObject | readonly JsonObject[])[])
    .filter((make) => make.length === 0)
    .flatMap((make) => make())
    .map((object) => ({ file: 'valid', object }));
  return [...corpus(), ...ofUnitTests];
}

/** Starts a control plane, asks it, and stops it. */
export async function askLiveServer(
  questions: readonly Question[],
  bases: readonly BaseManifest[],
  minor: KubernetesMinor,
): Promise<readonly Answer[]> {
  const cluster = await Cluster.start({ programs: buildPrograms({ print: (line) => console.log(line) }) });
  try {
    await applyCustomResources(cluster.client, coveredDefinitions());
    const discovery = await Discovery.read(cluster.client);
    await prepareCluster(cluster.client, discovery, bases);
    const numbered = questions.map((question, index) => ({ ...question, index }));
    return await askBoth(cluster.client, discovery, numbered, minor);
  } finally {
    await cluster.stop();
  }
}

export function requireControlPlane(): void {
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    throw new Error(`no control plane: ${reason}`);
  }
}
