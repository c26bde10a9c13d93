/**
 * Loads a bundle with what V8 compiled of it in an earlier run, since compiling takes most of the time of a short check.
 *
 * `module.enableCompileCache` of Node 22 does the same, but not on Node 20, and by default in the temporary folder, which all users share.
 * A program that can write the cache decides what the command executes, so the cache is in the user's own cache folder, and is read only if
 * no other user can write it. A cache that cannot be read or written costs time, and nothing else.
 */
import { isAscii } from 'node:buffer';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { gunzipSync, gzipSync, constants as zlib } from 'node:zlib';

/** The last line of a bundle that may be cached: it names the contents. V8 itself compares only the length of the source. */
const CONTENTS = /\n\/\/ contents ([0-9a-f]{64})\n$/;

/** How many files the folder keeps: two of each version of Gantry and Node that a user has in use, at about 2 MB together. */
const KEPT = 16;

/** What this module writes, including what it wrote partly before it was killed. */
const WRITTEN = /-[0-9a-f]{32}-v\d[\w.-]*\.v8(?:\.\d+)?$/;

type ModuleFunction = (exports: object, require: NodeJS.Require, module: object, file: string, folder: string) => void;

/**
 * Loads a CommonJS file, each time again.
 *
 * @returns what the file exports
 */
export function requireCompiled(file: string, env: NodeJS.ProcessEnv = process.env): unknown {
  const require = createRequire(file);
  const bytes = readFileSync(file);
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  const cache = cacheFile(file, text, env);
  if (cache === undefined) {
    return require(file) as unknown;
  }
  const cachedData = unlessItFails(() => readOwn(cache));
  const script = new Script(wrap(text), {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  (script.runInThisContext() as ModuleFunction)(module.exports, require, module, file, dirname(file));
  if (cachedData === undefined || script.cachedDataRejected === true) {
    // At the end, the data has the functions that were called as well.
    process.once('exit', () => unlessItFails(() => writeOwn(cache, script.createCachedData())));
  }
  return module.exports;
}

function cacheFile(file: string, text: string, env: NodeJS.ProcessEnv): string | undefined {
  const contents = CONTENTS.exec(text.slice(-100))?.[1];
  if (contents === undefined || env.NODE_DISABLE_COMPILE_CACHE === '1') {
    return undefined;
  }
  const name = `${basename(file, '.js')}-${contents.slice(0, 32)}-${process.version}-${process.arch}.v8`;
  return unlessItFails(() => join(cacheFolder(env), name));
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  const stated = process.platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  const base = stated !== undefined && isAbsolute(stated) ? stated : join(homedir(), '.cache');
  return join(base, 'cdk8s-gantry');
}

function readOwn(file: string): Buffer | undefined {
  const descriptor = openSync(file, 'r');
  try {
    return isOwn(lstatSync(dirname(file))) && isOwn(fstatSync(descriptor))
      ? dataOf(readFileSync(descriptor))
      : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The data in a gzip file, which has a checksum: V8 does not notice every damage, and a process that runs damaged code crashes. It is stored as it
 * is, since a checksum takes less time than to load what computes digests.
 */
function storedOf(data: Buffer): Buffer {
  return gzipSync(data, { level: zlib.Z_NO_COMPRESSION });
}

/** @throws if the file is not whole */
function dataOf(stored: Buffer): Buffer {
  return gunzipSync(stored, { chunkSize: Math.max(stored.length, zlib.Z_MIN_CHUNK) });
}

/** Another process may read the file at any time, so it appears whole or not at all. */
function writeOwn(file: string, data: Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!isOwn(lstatSync(dirname(file)))) {
    return;
  }
  const partial = `${file}.${process.pid}`;
  try {
    const descriptor = openSync(partial, 'wx', 0o600);
    try {
      writeFileSync(descriptor, storedOf(data));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  removeOldest(dirname(file), KEPT);
}

/** Each upgrade of Gantry or Node leaves a file that nothing reads again. */
function removeOldest(folder: string, kept: number): void {
  const files = readdirSync(folder)
    .filter((name) => WRITTEN.test(name))
    .map((name) => ({ path: join(folder, name), written: lstatSync(join(folder, name)).mtimeMs }));
  for (const { path } of files.toSorted((a, b) => b.written - a.written).slice(kept)) {
    rmSync(path, { force: true });
  }
}

/** Whether only this user can write the file or folder. Windows gives the folder of a user its permissions by itself. */
function isOwn({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function unlessItFails<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
