/**
 * Node documents: files that must not be changed under running pods. They are values; how a file comes onto nodes (an image, cloud-init,
 * a new node pool) cannot be expressed in a manifest, so each of them lists the steps.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publicFunction } from '../../facts/calls/public-function';

/** A file of the node, with its path and its content. */
export interface NodeDocument {
  /** Path of the file on the node. */
  readonly path: string;
  /** Whether it is a program that runs while the node's image is built. @default false */
  readonly executable?: boolean;
  /** What to do, in order, where the file cannot be part of the image. */
  readonly rollOut: readonly string[];
  /** The file, which ends with a line break. The same value gives the same text. */
  toText(): string;
}

const BEFORE: readonly string[] = [
  'kubectl cordon NODE',
  'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data',
];

/** The steps around a change of a node: away with the pods, the change, and back. */
export function drained(...change: readonly string[]): readonly string[] {
  return [...BEFORE, ...change, 'kubectl uncordon NODE'];
}

/** The folder below an app's output that node documents are written to; `gantry synth` knows it. */
export const NODE_FILES_FOLDER = 'node-files';

const NEW_NODE = 'Better than these steps is a new node with the files in its image.\n\n';

/**
 * Writes documents below `node-files/` of a folder, each at its path on the node, with the steps of each in `ROLL-OUT.txt`.
 *
 * @param folder `app.outdir`, as a rule
 * @returns the files, in the order of the documents
 * @throws if two documents have one path
 */
export const writeNodeDocuments = publicFunction(
  'nodeTuning.writeNodeDocuments',
  (folder: string, documents: readonly NodeDocument[]): readonly string[] =>
    writeBelow(join(folder, NODE_FILES_FOLDER), documents),
);

/**
 * Writes documents below a folder, each at its path, with the steps of each.
 *
 * @param advice a paragraph before the steps
 * @throws if two documents have one path
 */
export function writeBelow(root: string, documents: readonly NodeDocument[], advice = NEW_NODE): readonly string[] {
  checkPaths(documents);
  const write = (path: string, text: string, mode: number): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  };
  const files = documents.map((document) =>
    write(document.path, document.toText(), document.executable === true ? 0o755 : 0o644),
  );
  const steps = documents.map(({ path, rollOut }) => [path, ...rollOut.map((step) => `  ${step}`), ''].join('\n'));
  return [...files, write('ROLL-OUT.txt', `${advice}${steps.join('\n')}`, 0o644)];
}

/** @throws if two documents have one path */
export function checkPaths(documents: readonly NodeDocument[]): void {
  const paths = documents.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) {
    throw new Error(`two documents have the path ${twice}. Give one of them another name, or combine them.`);
  }
}
