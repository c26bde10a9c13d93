/**
 * The workflows of docs/ci.md, for tests that run their steps.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const PAGE = readFileSync(join(__dirname, '../../docs/ci.md'), 'utf8');

/** The steps of the page that call Gantry, as words. */
export function gantrySteps(): readonly (readonly string[])[] {
  return [...PAGE.matchAll(/```yaml\n(.*?)```/gs)]
    .flatMap(([, text = '']) => Object.values((parse(text) as Workflow).jobs))
    .flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])))
    .flatMap((run) => /^(?:npx -p cdk8s-gantry )?gantry (.*)$/s.exec(run)?.slice(1) ?? [])
    .map((words) => words.split(' '));
}
