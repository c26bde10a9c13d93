/**
 * The manifests of `test/fixtures`, each alone, as kubeconform and Gantry judge them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MINOR, findKind } from '../../../src/facts/api/kinds';
import { type KindInfo } from '../../../src/facts/api/schema';
import { type Finding } from '../../../src/checks/report/finding';
import { asString } from '../../../src/manifests/read';
import { check, readManifests } from '../../../src/interfaces/checks';
import { askKubeconform, writeDocuments } from './kubeconform';
import { writeBundledSchemas } from './json-schemas';

const MANIFESTS = join(__dirname, '../../fixtures/manifests');
const OF_SERVER: ReadonlySet<string> = new Set(['schema', 'cel', 'server']);

/** Numbers of documents. */
export interface SameFiles {
  readonly documents: number;
  readonly kubeconform: {
    readonly rejected: number;
    /** Of the rejected ones, those of whose kind there is no schema. */
    readonly withoutSchema: number;
  };
  readonly gantry: {
    /** With an error in the name of the API server. */
    readonly rejected: number;
    readonly withErrors: number;
    readonly withWarnings: number;
  };
}

/** @param program kubeconform */
export function judgeSameFiles(program: string, folder: 'defects' | 'corrected'): SameFiles {
  const texts = readdirSync(join(MANIFESTS, folder)).map((file) => readFileSync(join(MANIFESTS, folder, file), 'utf8'));
  const documents = texts.flatMap((text) => readManifests(text).manifests.map(({ object }) => object));
  const kinds = new Map<string, KindInfo>();
  for (const { apiVersion, kind } of documents) {
    const info = findKind(asString(apiVersion) ?? '', asString(kind) ?? '');
    if (info !== undefined) {
      kinds.set(`${info.apiVersion} ${info.kind}`, info);
    }
  }
  const written = documents.map((document) => JSON.stringify(document));
  const scratch = mkdtempSync(join(tmpdir(), 'gantry-peer-'));
  try {
    writeBundledSchemas(join(scratch, 'schemas'), [...kinds.values()], DEFAULT_MINOR);
    writeDocuments(join(scratch, 'documents'), written);
    const answers = askKubeconform({ program, schemas: join(scratch, 'schemas') }, join(scratch, 'documents'));
    const rejected = answers.filter(({ accepted }) => !accepted);
    return {
      documents: documents.length,
      kubeconform: {
        rejected: rejected.length,
        withoutSchema: rejected.filter(({ message }) => message.startsWith('could not find schema')).length,
      },
      gantry: countsOf(written.map((text) => check(readManifests(text)).findings)),
    };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function countsOf(findings: readonly (readonly Finding[])[]): SameFiles['gantry'] {
  const having = (test: (finding: Finding) => boolean): number => findings.filter((found) => found.some(test)).length;
  return {
    rejected: having(({ severity, tier }) => severity === 'error' && OF_SERVER.has(tier)),
    withErrors: having(({ severity }) => severity === 'error'),
    withWarnings: having(({ severity }) => severity !== 'info'),
  };
}
