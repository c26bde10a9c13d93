/**
 * `npm run bench:agreement -- --mutants N --seed S`: how often Gantry says what a live API server says.
 *
 * Starts a control plane of its own, unless one that was started by hand runs. `--kinds REGEX` asks only about kinds whose
 * `apiVersion Kind` it meets; `--json FILE` writes every disagreement, `--table FILE` the table of
 * `docs/agreement.md`.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { corpus } from '../test/e2e/agreement/corpus';
import { askBoth } from '../test/e2e/agreement/differential';
import { kindOf, questions } from '../test/e2e/agreement/mutants';
import { prepareCluster } from '../test/e2e/agreement/prepare';
import { exampleOf, percent, summarize, table } from '../test/e2e/agreement/summary';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { buildPrograms, type Programs } from '../test/e2e/control-plane/build';
import { Cluster } from '../test/e2e/control-plane/cluster';
import { kubernetesMinor, kubernetesVersion } from '../test/e2e/control-plane/components';
import { coveredDefinitions } from '../test/e2e/control-plane/covered-definitions';
import { applyCustomResources, withoutNeighbors } from '../test/e2e/control-plane/custom-resources';
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
      json: { type: 'string' },
      table: { type: 'string' },
    },
  });
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    console.log(`bench:agreement skipped: ${reason}`);
    return;
  }
  const programs = buildPrograms({ print: (line) => console.log(line) });
  const byHand = Cluster.running().find((cluster) => cluster.isByHand);
  const cluster = byHand ?? (await Cluster.start({ programs }));
  try {
    if (byHand === undefined) {
      await applyCustomResources(cluster.client, coveredDefinitions());
    }
    const { mutants, seed, kinds, json, table: tableFile } = values;
    await measure(cluster, programs, {
      mutants: Number(mutants),
      seed: Number(seed),
      kinds: new RegExp(kinds),
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
  readonly json: string | undefined;
  readonly tableFile: string | undefined;
}

async function measure(
  cluster: Cluster,
  programs: Programs,
  { mutants, seed, kinds, json, tableFile }: Extent,
): Promise<void> {
  const minor = kubernetesMinor();
  const discovery = await Discovery.read(cluster.client);
  const bases = corpus().filter(({ object }) => kinds.test(kindOf(object)));
  await prepareCluster(cluster.client, discovery, bases);
  const started = Date.now();
  const answers = await askBoth(cluster.client, discovery, questions(bases, mutants, seed, minor), minor);
  const summary = summarize(answers);
  console.log(
    `${answers.length} documents (${mutants} mutants of ${bases.length}, seed ${seed}), kube-apiserver ${kubernetesVersion()},`,
  );
  console.log(
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  );
  console.log(`${table(summary.byKind.map((row) => ({ name: row.kind, ...row })))}\n`);
  console.log(`${table(summary.byOperator.map((row) => ({ name: row.operator, ...row })))}\n`);
  console.log(`${table(summary.byJudge.map((row) => ({ name: `refused by ${row.judge}`, ...row })))}\n`);
  console.log(table([{ name: 'all', ...summary }]));
  const peer = await compareWithPeer(answers, {
    program: programs.kubeconform,
    client: cluster.client,
    discovery,
    crds: withoutNeighbors(coveredDefinitions()),
    kubernetes: minor,
  });
  printPeer(peer);
  if (tableFile !== undefined) {
    writeFileSync(tableFile, groupTable(summary, peer));
  }
  if (json !== undefined) {
    const disagreements = answers.filter(({ outcome }) => outcome === 'false accept' || outcome === 'false reject');
    const examples = disagreements.map((answer) => {
      const { outcome, judge, question } = answer;
      return { outcome, judge, kind: question.kind, ...exampleOf(answer) };
    });
    writeFileSync(json, `${JSON.stringify({ summary, peer, disagreements: examples }, undefined, 2)}\n`);
  }
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
