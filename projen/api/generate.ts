/**
 * `npm run generate:api`: writes the generated part of `src/facts/api` from the sources that `sources.lock.json` pins.
 *
 * `--update` resolves `sources.ts` again and writes the lock; `--out DIR` writes elsewhere than to `src/facts/api`;
 * `--embeddings FILE` writes where custom resources were found to embed Kubernetes types, for review.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'fs';
import { dirname, join, resolve } from 'path';
import { parseArgs } from 'util';
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { type ApiFiles, apiFiles, type ApiSources, type Texts } from './api-files';
import { type Lock, LOCK_FILE, lockText, PROJECT_ROOT, readEntry, readLock, resolveSources } from './lock';
import { order } from './openapi';

/** Beside `src/facts/api`, since it makes constructs' parts of the schema. */
export const TRIGGERS_FILE = join(PROJECT_ROOT, 'src', 'constructs', 'keda', 'generated-triggers.ts');

/** Folders that hold nothing but generated files. */
const GENERATED_FOLDERS = ['types', 'schemas'];

export function readSources(lock: Lock): ApiSources {
  const kubernetes = new Map<KubernetesMinor, Texts>();
  const projects: { project: string; label: string; files: Texts }[] = [];
  let kedaScalers: Texts | undefined;
  let kubernetesLifecycle: Texts | undefined;
  for (const entry of lock.entries) {
    const files = readEntry(entry);
    if (entry.minor !== undefined) {
      kubernetes.set(entry.minor, files);
    } else if (entry.project === 'kubernetes-lifecycle') {
      kubernetesLifecycle = files;
    } else if (entry.project === 'keda-scalers') {
      kedaScalers = files;
    } else {
      projects.push({ project: entry.project, label: entry.label, files });
    }
  }
  return { kubernetes, kubernetesLifecycle, projects, kedaScalers };
}

/** Writes the files, and removes generated files that are not generated any more. Files that are equal already are left alone. */
export function writeApi(out: string, { files }: ApiFiles): { readonly written: number; readonly removed: number } {
  let written = 0;
  let removed = 0;
  for (const path of generatedFilesIn(out)) {
    if (files.has(path)) {
      continue;
    }
    rmSync(join(out, path));
    removed++;
  }
  for (const [path, content] of files) {
    if (writeFile(join(out, path), content)) {
      written++;
    }
  }
  return { written, removed };
}

/** @returns whether there was anything to write */
function writeFile(target: string, content: string | Buffer): boolean {
  if (existsSync(target) && readFileSync(target).equals(Buffer.from(content))) {
    return false;
  }
  mkdirSync(dirname(target), { recursive: true });
  // Others may be compiling at this moment: a file is there whole or not at all.
  writeFileSync(`${target}.new`, content);
  renameSync(`${target}.new`, target);
  return true;
}

/** Paths below `out`, sorted. */
export function generatedFilesIn(out: string): readonly string[] {
  return GENERATED_FOLDERS.filter((folder) => existsSync(join(out, folder)))
    .flatMap((folder) =>
      readdirSync(join(out, folder), { recursive: true, withFileTypes: true })
        .filter((item) => item.isFile())
        .map((item) => join(item.parentPath, item.name).slice(out.length + 1)),
    )
    .sort(order);
}

function main(): void {
  const { values } = parseArgs({
    options: { update: { type: 'boolean', default: false }, out: { type: 'string' }, embeddings: { type: 'string' } },
  });
  if (values.update) {
    writeFileSync(LOCK_FILE, lockText(resolveSources((line) => console.log(line))));
  }
  const out = resolve(values.out ?? join(PROJECT_ROOT, 'src', 'facts', 'api'));
  const api = apiFiles(readSources(readLock()));
  const { written, removed } = writeApi(out, api);
  if (values.out === undefined && api.triggers !== undefined) {
    writeFile(TRIGGERS_FILE, api.triggers);
  }
  if (values.embeddings !== undefined) {
    writeFileSync(
      values.embeddings,
      api.embeddings
        .map(({ place, definition }) => `${definition}\t${place}\n`)
        .sort(order)
        .join(''),
    );
  }
  console.log(`${out}: ${api.files.size} generated files, ${written} written, ${removed} removed`);
}

if (require.main === module) {
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
