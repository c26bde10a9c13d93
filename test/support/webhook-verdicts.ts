/**
 * What the validators of projects said about many objects, kept as text: `test/fixtures/webhooks/PROJECT.txt`, in the format of
 * `recorded-verdicts.ts`. Each document is a question: an object, and what exists beside it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type JsonObject } from '../../src/facts/api/schema';
import { readVerdicts } from './recorded-verdicts';

export const WEBHOOK_VERDICTS = resolve(__dirname, '../fixtures/webhooks');

export interface RecordedWebhookVerdict {
  readonly object: JsonObject;
  readonly beside: readonly JsonObject[];
  readonly verdict: 'accepted' | 'refused';
}

export interface RecordedProject {
  readonly name: string;
  /** The version of the module that answered. */
  readonly version: string;
  readonly verdicts: readonly RecordedWebhookVerdict[];
}

/** The line that names the validators. */
export function headOf(name: string, module: string, version: string): string {
  return `Verdicts of the validators of ${name} (${module} ${version}), written by "npm run record:webhooks".`;
}

export function recordedProjects(): readonly RecordedProject[] {
  return readdirSync(WEBHOOK_VERDICTS)
    .sort()
    .map((file) => {
      const text = readFileSync(join(WEBHOOK_VERDICTS, file), 'utf8');
      const [, version = ''] = /^# Verdicts of the validators of \S+ \(\S+ (\S+)\)/.exec(text) ?? [];
      const verdicts = readVerdicts(text).flatMap((group) =>
        group.verdicts.map((verdict) => ({
          ...(JSON.parse(verdict.text) as Pick<RecordedWebhookVerdict, 'object' | 'beside'>),
          verdict: verdict.verdict === 'accepted' ? ('accepted' as const) : ('refused' as const),
        })),
      );
      return { name: file.replace(/\.txt$/, ''), version, verdicts };
    });
}
