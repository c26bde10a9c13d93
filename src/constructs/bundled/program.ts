/**
 * A program of this package as it travels: one file, compressed and cut into parts, and the few lines that start it. They go into ConfigMaps
 * that a stock Node image runs, so that no image has to be built.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The programs that run in a cluster. */
export type ProgramName = 'scheduler' | 'node-agent' | 'remediation';

/** Found from `src/` as from `lib/`. */
const BUNDLES = join(__dirname, '../../../lib/bundles');

export const START_KEY = 'start.cjs';

/**
 * Bytes of the program in one ConfigMap. `kubectl apply` writes the object that it applies into an annotation, and all annotations of an
 * object have room for 256 KiB; base64 makes four bytes of three, and the object is more than the program.
 */
const PART_BYTES = Math.floor(((262_144 - 8192) * 3) / 4);

const partKey = (name: ProgramName, index: number): string => `${name}.js.br.${index + 1}`;

/** Puts the parts that lie beside it together, and runs the program as if it were a file. */
const startOf = (name: ProgramName, keys: readonly string[]): string => `'use strict';
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { compileFunction } = require('node:vm');
const { brotliDecompressSync } = require('node:zlib');
const filename = join(__dirname, '${name}.js');
const parts = ${JSON.stringify(keys)};
const compressed = Buffer.concat(parts.map((name) => readFileSync(join(__dirname, name))));
const source = brotliDecompressSync(compressed).toString('utf8');
const module_ = { exports: {} };
compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename })(
  module_.exports, createRequire(filename), module_, filename, __dirname,
);
`;

export interface ProgramPart {
  /** Key in `binaryData`. */
  readonly key: string;
  /** Base64. */
  readonly content: string;
}

export interface Program {
  /** What one ConfigMap has room for, in order; the start expects all of them in its own folder. */
  readonly parts: readonly ProgramPart[];
  readonly start: string;
  /** Ten digits that change with the content. */
  readonly hash: string;
}

/** @throws where the package was not built */
export function bundledProgram(name: ProgramName): Program {
  const bundle = join(BUNDLES, `${name}.js.br`);
  if (!existsSync(bundle)) {
    throw new Error(`The program ${bundle} was not found. In a checkout, create it with \`npm run bundle\`.`);
  }
  return programOf(name, readFileSync(bundle));
}

/** @param compressed the program, compressed with Brotli */
export function programOf(name: ProgramName, compressed: Buffer): Program {
  const count = Math.ceil(compressed.length / PART_BYTES);
  const parts = Array.from({ length: count }, (_, index) => ({
    key: partKey(name, index),
    content: compressed.subarray(index * PART_BYTES, (index + 1) * PART_BYTES).toString('base64'),
  }));
  const start = startOf(
    name,
    parts.map(({ key }) => key),
  );
  const hash = createHash('sha256').update(start).update(compressed).digest('hex').slice(0, 10);
  return { parts, start, hash };
}
