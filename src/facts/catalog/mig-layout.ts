/**
 * Which MIG instances fit on one GPU together.
 *
 * A GPU has compute slices (7; an A30 and an RTX PRO 6000 have 4) and memory slices (8 beside 7 compute slices, else as many), and
 * one set of media engines. Each profile takes some of each: an instance of 1g takes one compute slice and one memory slice, the
 * doubled 1g (`1g.20gb` of an 80 GB GPU) two memory slices, 3g and 4g four. That is why 3g twice leaves a compute slice that no
 * instance can have. The greatest counts are those of the catalog.
 */
import { type AcceleratorFacts } from './accelerators/facts';
import { type MigProfile, parseMigProfile } from './mig-profiles';
import { withArticle } from '../words';

/** Instances by profile, on each GPU: `{ '1g.10gb': 2, '3g.40gb': 1 }`. */
export type MigLayout = Readonly<Record<string, number>>;

/** Why a layout does not fit a GPU, one sentence each; none where it fits. */
export function migLayoutProblems(gpu: AcceleratorFacts, layout: MigLayout): readonly string[] {
  if (gpu.mig.length === 0) {
    return [`${withArticle(gpu.name)} does not support MIG`];
  }
  const asked = Object.entries(layout).filter(([, count]) => count > 0);
  const parts = asked.map(([name, count]) => ({
    name,
    count,
    profile: gpu.mig.find((profile) => profile.name === name),
  }));
  const problems = parts
    .filter(({ profile }) => profile === undefined)
    .map(
      ({ name }) =>
        `${withArticle(gpu.name)} has no MIG profile ${name}; its profiles are ${gpu.mig.map((profile) => profile.name).join(', ')}`,
    );
  if (problems.length > 0) {
    return problems;
  }
  const known = parts.flatMap(({ profile, count }) => (profile === undefined ? [] : [{ profile, count }]));
  const { compute, memory } = slicesOf(gpu);
  for (const { profile, count } of known) {
    if (count > profile.maxPerGpu) {
      problems.push(
        `${count} × ${profile.name} exceeds the ${profile.maxPerGpu} that ${withArticle(gpu.name)} supports`,
      );
    }
  }
  const sum = (take: (profile: MigProfile) => number): number =>
    known.reduce((total, { profile, count }) => total + count * take(profile), 0);
  const computeTaken = sum(({ slices }) => slices);
  const memoryTaken = sum((profile) => memorySlices(gpu, profile));
  const mediaTaken = sum(({ attributes }) => (attributes.includes('+me') ? 1 : 0));
  if (computeTaken > compute) {
    problems.push(`the instances need ${computeTaken} compute slices, but ${withArticle(gpu.name)} has ${compute}`);
  }
  if (memoryTaken > memory) {
    problems.push(`the instances need ${memoryTaken} memory slices, but ${withArticle(gpu.name)} has ${memory}`);
  }
  if (mediaTaken > 1) {
    problems.push(`${mediaTaken} instances request the media engines (+me), which only one instance of a GPU can have`);
  }
  return problems;
}

function slicesOf(gpu: AcceleratorFacts): { readonly compute: number; readonly memory: number } {
  const compute = Math.max(...gpu.mig.map(({ slices }) => slices));
  return { compute, memory: compute === 7 ? 8 : compute };
}

/** Memory slices of an instance: its share of the whole GPU's memory, in whole slices. */
function memorySlices(gpu: AcceleratorFacts, { name }: MigProfile): number {
  const { compute, memory } = slicesOf(gpu);
  const whole = Math.max(...gpu.mig.filter(({ slices }) => slices === compute).map(({ memoryGB }) => memoryGB));
  const part = parseMigProfile(name)?.memoryGB ?? 0;
  return Math.max(1, Math.round((part * memory) / whole));
}
