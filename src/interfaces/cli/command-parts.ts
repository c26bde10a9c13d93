/**
 * Parts that several commands of the command line have in common: flags, and the form of their help.
 */
import { type Command } from 'commander';

/** A flag that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Adds the flags of every command that checks. */
export function withCheckOptions(command: Command): Command {
  return command
    .option('--only <tiers>', 'tiers to report: schema, cel, server, webhook, advice', collect)
    .option('--k8s <minor>', 'Kubernetes version of the target cluster (default: "1.35")')
    .option(
      '--crd <file>',
      'file or folder with CustomResourceDefinitions of kinds that Gantry does not know; repeatable',
      collect,
    )
    .option('--ignore <rule=reason>', 'suppress a rule, with a reason; repeatable', collect)
    .option(
      '--fail-on <severity>',
      'exit with status 1 for findings of this severity or above: error, warning, or info; also not-checked (default: "error")',
    )
    .option('--hygiene', 'also run the rules on workload hygiene: security, images, requests, later API removals')
    .option('--config <file>', 'configuration file (default: the nearest .gantry.yaml)')
    .option('--format <format>', 'text, json, or sarif (default: "text")')
    .option('--no-color', 'print without colors');
}

/** The section of examples in the help of a command: a comment, and the command line. */
export function examples(...lines: readonly (readonly [comment: string, command: string])[]): string {
  return `\nExamples:\n${lines.map(([comment, command]) => `  # ${comment}\n  ${command}\n`).join('\n')}`;
}
