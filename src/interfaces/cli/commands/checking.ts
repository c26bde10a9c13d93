/**
 * Commands that check, synthesize, and compare manifests: `gantry check`, `gantry synth`, and `gantry diff`.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Command } from 'commander';
import type * as CheckModule from '../check/check-command';
import type * as SynthModule from '../synth/synth-command';
import type * as DiffModule from '../diff/diff-command';
import { type CheckFlags } from '../check/check-options';
import { collect, examples, withCheckOptions } from '../command-parts';
import { requireCompiled } from '../compile-cache';
import { type Terminal } from '../terminal';

const load = createRequire(__filename);
/** `check-command` and all that it needs in one file, which the build of the package writes: it loads in half of the time. */
const CHECK_BUNDLE = join(__dirname, '../check-bundle.js');

export function addCheckingCommands(program: Command, terminal: Terminal, finish: (status: number) => void): void {
  withCheckOptions(program.command('check'))
    .summary('check manifests')
    .description(
      'Check manifests without a cluster: schemas, CEL rules, the validation of the API server, and the rules of each project.',
    )
    .argument('[paths...]', 'files, folders, or - for standard input (default: "include" in .gantry.yaml)')
    .option('--kustomize <folder>', 'check the output of kustomize for a folder; repeatable', collect)
    .option('--helm <chart>', 'check the output of helm template for a chart; repeatable', collect)
    .option('--values <file>', 'values file of the chart; repeatable', collect)
    .option('--set <key=value>', 'value of the chart; repeatable', collect)
    .option('--release <name>', 'release name of the chart (default: "release")')
    .option('--namespace <name>', 'namespace of the release')
    .option('--cluster <cluster>', 'check against this cluster: a snapshot, or live[:CONTEXT] for a running one')
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--exclude <glob>', 'skip the files and folders that match; repeatable', collect)
    .option('--baseline <file>', 'suppress the findings that this file lists')
    .option('--update-baseline', 'write the findings of this run to the baseline file')
    .option('--output <file>', 'write the report to a file')
    .option('-j, --jobs <n>', 'threads for many files (default: 1)')
    .option('-q, --quiet', 'print errors only')
    .addHelpText(
      'after',
      examples(
        ['Check a folder', 'gantry check manifests/'],
        ['Check the output of another tool', 'kustomize build overlays/prod | gantry check -'],
        [
          'Check what the API server of Kubernetes 1.33 validates',
          'gantry check --k8s 1.33 --only schema,cel,server .',
        ],
        [
          'Suppress a rule, with a reason',
          `gantry check --ignore 'pods/shared-memory-for-several-gpus=single-process jobs' manifests/`,
        ],
      ),
    )
    .action(async (paths: string[], flags: CheckFlags) => {
      const { checkCommand } = (
        existsSync(CHECK_BUNDLE) ? requireCompiled(CHECK_BUNDLE) : load('../check/check-command')
      ) as typeof CheckModule;
      finish(await checkCommand(paths, flags, terminal));
    });

  withCheckOptions(program.command('synth'))
    .summary('synthesize a cdk8s app and check the result')
    .description(
      'Synthesize a cdk8s app and check its manifests. The output folder is replaced only if the check passes.',
    )
    .option('-a, --app <command>', 'command that runs the app (default: "app" in cdk8s.yaml)')
    .option('-o, --output <folder>', 'output folder (default: "output" in cdk8s.yaml, or dist)')
    .option(
      '--cluster <cluster>',
      'also check against and plan on this cluster: a snapshot, a cluster file, the output of kubectl get … -o json, live[:CONTEXT], or "sample"',
    )
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--page <file>', 'write the plan to an HTML page; requires --cluster')
    .addHelpText(
      'after',
      examples(
        ['Synthesize the app of cdk8s.yaml', 'gantry synth'],
        ['Also plan the app on a cluster', 'gantry synth --cluster cluster.yaml --page plan.html'],
      ),
    )
    .action(async (flags: SynthModule.SynthFlags) => {
      const { synthCommand } = load('../synth/synth-command') as typeof SynthModule;
      finish(await synthCommand(flags, terminal));
    });

  program
    .command('diff')
    .summary('show what changes between two sets of manifests, and what applying it does')
    .description(
      'Compare two sets of manifests, object by object and field by field: which updates are rejected, which pods are replaced, and which queues, quotas, and plans change.',
    )
    .argument('<paths...>', 'OLD and NEW: folders, files, or snapshots; with one path, OLD is the cluster')
    .option('--cluster <cluster>', 'plan both on this cluster: a snapshot, a cluster file, or live[:CONTEXT]')
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--field-manager <name>', 'with one path and a running cluster: who applies (default: "kubectl")')
    .option('--k8s <minor>', 'Kubernetes version of the target cluster (default: "1.35")')
    .option('--exit-code', 'exit with status 1 if anything changes (default: only if an update is rejected)')
    .option('--format <format>', 'text, json, or markdown (default: "text")')
    .option('--output <file>', 'write the diff to a file')
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Compare the manifests of two branches', 'gantry diff main/manifests manifests'],
        [
          'Write a comment for a pull request, with the plan on a snapshot',
          'gantry diff main/manifests manifests --cluster prod.gantry.json.gz --format markdown',
        ],
        ['Show what applying the manifests changes in a running cluster', 'gantry diff manifests --cluster live:prod'],
      ),
    )
    .action(async (paths: string[], flags: DiffModule.DiffFlags) => {
      const { diffCommand } = load('../diff/diff-command') as typeof DiffModule;
      finish(await diffCommand(paths, flags, terminal));
    });
}
