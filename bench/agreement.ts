/**
 * `npm run bench:agreement -- --mutants N --seed S`: how often Gantry says what a live API server says.
 *
 * Starts a control plane of its own, unless one that was started by hand runs. `--minor 1.30` asks an API server of another minor (those
 * of `test/e2e/control-plane/minors`); `--kinds REGEX` asks only about kinds whose `apiVersion Kind` it meets; `--required` asks
 * about objects without one of their required fields instead of mutants; `--alone` runs no kubeconform beside; `--least PERCENT` ends with
 * exit status 1 below this agreement; `--json FILE` writes every disagreement, `--table FILE` the table of `docs/agreement.md`.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type JsonObject, type KubernetesMinor } from '../src/facts/api/schema';
import { idOf } from '../src/manifests/identity';
import { corpus } from '../test/e2e/agreement/corpus';
import { askBoth, type Answer } from '../test/e2e/agreement/differential';
import { kindOf, questions } from '../test/e2e/agreement/mutants';
import { recordedBases } from '../test/e2e/agreement/asking';
import { prepareCluster } from '../test/e2e/agreement/prepare';
import { requiredPairs, requiredQuestions } from '../test/e2e/agreement/required';
import { exampleOf, percent, summarize, table } from '../test/e2e/agreement/summary';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { buildPrograms, type Programs } from '../test/e2e/control-plane/build';
import { Cluster } from '../test/e2e/control-plane/cluster';
import { kubernetesMinor, kubernetesVersion } from '../test/e2e/control-plane/components';
import { coveredDefinitions } from '../test/e2e/control-plane/covered-definitions';
import {
  applyServedResources,
  withoutNeighbors,
  type RefusedDefinition,
} from '../test/e2e/control-plane/custom-resources';
import { Discovery } from '../test/e2e/control-plane/discovery';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { compareWithPeer, type Comparison } from '../test/e2e/peer/compare';
import { groupTable } from '../test/e2e/peer/group-table';
import { type Speed } from '../test/e2e/peer/kubeconform';

async function main(): Promise<void> {
  stopStartedOnSignal();
  const { values } = parseArgs({
    options: {
      mutants: { type: 'string', default: '3000' },
      seed: { type: 'string', default: '1' },
      kinds: { type: 'string', default: '' },
      minor: { type: 'string' },
      required: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      least: { type: 'string', default: '0' },
      json: { type: 'string' },
      table: { type: 'string' },
    },
  });
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    console.log(`bench:agreement skipped: ${reason}`);
    return;
  }
  const minor = (values.minor ?? kubernetesMinor()) as KubernetesMinor;
  const programs = buildPrograms({ print: (line) => console.log(line), minor });
  const byHand = minor === kubernetesMinor() ? Cluster.running().find((cluster) => cluster.isByHand) : undefined;
  const cluster = byHand ?? (await Cluster.start({ programs }));
  try {
    const refused = byHand === undefined ? await applyServedResources(cluster.client, coveredDefinitions()) : [];
    for (const { name, message } of refused) {
      console.log(
        `not compared, since ${kubernetesVersion(minor)} does not take its definition: ${name} (${message.slice(0, 200)})`,
      );
    }
    const { mutants, seed, kinds, json, table: tableFile } = values;
    await measure(cluster, programs, {
      mutants: Number(mutants),
      seed: Number(seed),
      kinds: new RegExp(kinds),
      minor,
      refused,
      required: values.required,
      alone: values.alone,
      least: Number(values.least),
      json,
      tableFile,
    });
  } finally {
    if (byHand === undefined) {
      await cluster.stop();
    } else {
      cluster.client.close();
    }
  }
}

interface Extent {
  readonly mutants: number;
  readonly seed: number;
  readonly kinds: RegExp;
  readonly minor: KubernetesMinor;
  readonly refused: readonly RefusedDefinition[];
  /** Ask about objects without one of their required fields. */
  readonly required: boolean;
  /** Do not run kubeconform on the same documents. */
  readonly alone: boolean;
  /** Percent of the answers that have to agree. */
  readonly least: number;
  readonly json: string | undefined;
  readonly tableFile: string | undefined;
}

async function measure(
  cluster: Cluster,
  programs: Programs,
  { mutants, seed, kinds, minor, refused, required, alone, least, json, tableFile }: Extent,
): Promise<void> {
  const discovery = await Discovery.read(cluster.client);
  const bases = (required ? recordedBases() : corpus()).filter(
    ({ object }) => kinds.test(kindOf(object)) && !isRefused(object, refused),
  );
  await prepareCluster(cluster.client, discovery, bases);
  const started = Date.now();
  const asked = required ? requiredQuestions(requiredPairs(bases, minor)) : questions(bases, mutants, seed, minor);
  const answers = await askBoth(cluster.client, discovery, asked, minor);
  const summary = summarize(answers);
  console.log(
    `${answers.length} documents (${required ? 'without required fields' : `${mutants} mutants, seed ${seed}`}; from ${bases.length} valid ones), kube-apiserver ${kubernetesVersion(minor)},`,
  );
  console.log(
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  );
  console.log(`${table(summary.byKind.map((row) => ({ name: row.kind, ...row })))}\n`);
  console.log(`${table(summary.byOperator.map((row) => ({ name: row.operator, ...row })))}\n`);
  console.log(`${table(summary.byJudge.map((row) => ({ name: `refused by ${row.judge}`, ...row })))}\n`);
  console.log(table([{ name: 'all', ...summary }]));
  const agreed = (100 * summary.agree) / (summary.asked - summary.unclear);
  if (agreed < least) {
    console.log(`${agreed.toFixed(2)} % agree, at least ${least} % were expected`);
    process.exitCode = 1;
  }
  // Without mutants there is nothing to hold another tool to.
  const peer =
    required || alone
      ? undefined
      : await compareWithPeer(answers, {
          program: programs.kubeconform,
          client: cluster.client,
          discovery,
          crds: withoutNeighbors(coveredDefinitions()),
          kubernetes: minor,
        });
  if (peer !== undefined) {
    printPeer(peer);
    if (tableFile !== undefined) {
      writeFileSync(tableFile, groupTable(summary, peer));
    }
  }
  if (json !== undefined) {
    writeFileSync(
      json,
      `${JSON.stringify({ summary, peer, disagreements: disagreementsOf(answers) }, undefined, 2)}\n`,
    );
  }
}

function disagreementsOf(answers: readonly Answer[]): readonly object[] {
  return answers
    .filter(({ outcome }) => outcome === 'false accept' || outcome === 'false reject')
    .map((answer) => {
      const { outcome, judge, question } = answer;
      return { outcome, judge, kind: question.kind, ...exampleOf(answer) };
    });
}

/** Whether the server has no definition of the object's kind. */
function isRefused(object: JsonObject, refused: readonly RefusedDefinition[]): boolean {
  const { apiVersion, kind } = idOf(object);
  return refused.some((definition) => definition.kind === kind && apiVersion.startsWith(`${definition.group}/`));
}

function printPeer({ all, byKind, kubeconformFalseAccepts, kubeconformFalseRejects, speed }: Comparison): void {
  const rate = ({ cold, warm, warmPerCpuSecond }: Speed): string =>
    `${Math.round(warm)} documents/s warm, ${Math.round(cold)} cold, ${Math.round(warmPerCpuSecond)} per second of processor time`;
  console.log(
    `\nagrees with the server: gantry ${percent(all.gantry, all.asked)}, kubeconform ${percent(all.kubeconform, all.asked)}`,
  );
  console.log(`  (kubeconform: ${kubeconformFalseAccepts} false accepts, ${kubeconformFalseRejects} false rejects)`);
  console.log(`speed: gantry ${rate(speed.gantry)} (one process, one thread); kubeconform ${rate(speed.kubeconform)}`);
  const behind = byKind.filter(({ gantry, kubeconform }) => gantry < kubeconform);
  console.log(
    `kinds where kubeconform agrees more often: ${behind.length === 0 ? 'none' : behind.map(({ kind }) => kind).join(', ')}`,
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
