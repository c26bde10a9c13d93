/**
 * Gantry and kubeconform side by side, both held against the server.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { type Answer } from '../agreement/differential';
import { type ApiClient } from '../control-plane/api-client';
import { type Discovery } from '../control-plane/discovery';
import { measureGantry } from './gantry-speed';
import { writeJsonSchemas } from './json-schemas';
import { askKubeconform, measureKubeconform, type Speed, writeDocuments } from './kubeconform';

export interface PeerKind {
  readonly kind: string;
  /** Documents to which the server's answer is clear. */
  readonly asked: number;
  readonly gantry: number;
  readonly kubeconform: number;
}

export interface Comparison {
  readonly byKind: readonly PeerKind[];
  readonly all: Omit<PeerKind, 'kind'>;
  readonly kubeconformFalseAccepts: number;
  readonly kubeconformFalseRejects: number;
  readonly speed: { readonly gantry: Speed; readonly kubeconform: Speed };
}

export interface ComparisonOptions {
  /** Path of kubeconform. */
  readonly program: string;
  readonly client: ApiClient;
  readonly discovery: Discovery;
  readonly crds: readonly JsonObject[];
  readonly kubernetes: KubernetesMinor;
}

/** Asks kubeconform what the others were asked already. */
export async function compareWithPeer(answers: readonly Answer[], options: ComparisonOptions): Promise<Comparison> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-peer-'));
  try {
    const schemas = join(folder, 'schemas');
    const documents = join(folder, 'documents');
    await writeJsonSchemas(schemas, options.client, options.discovery, options.crds);
    writeDocuments(
      documents,
      answers.map(({ question }) => question.text ?? JSON.stringify(question.object)),
    );
    const peer = { program: options.program, schemas };
    const theirs = askKubeconform(peer, documents);
    const rows = answers.flatMap(({ question, server, outcome }, index) => {
      if (outcome === 'unclear') {
        return [];
      }
      const accepted = theirs[index]?.accepted ?? false;
      return [{ kind: question.kind, right: server.verdict === 'accepted', accepted, agree: outcome === 'agree' }];
    });
    return {
      byKind: [...new Set(rows.map((row) => row.kind))]
        .sort()
        .map((kind) => ({ kind, ...count(rows.filter((row) => row.kind === kind)) })),
      all: count(rows),
      kubeconformFalseAccepts: rows.filter(({ right, accepted }) => accepted && !right).length,
      kubeconformFalseRejects: rows.filter(({ right, accepted }) => !accepted && right).length,
      speed: {
        gantry: measureGantry(documents, options.kubernetes),
        kubeconform: measureKubeconform(peer, documents, answers.length),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function count(
  rows: readonly { readonly right: boolean; readonly accepted: boolean; readonly agree: boolean }[],
): Omit<PeerKind, 'kind'> {
  return {
    asked: rows.length,
    gantry: rows.filter(({ agree }) => agree).length,
    kubeconform: rows.filter(({ right, accepted }) => right === accepted).length,
  };
}
