/**
 * The scheduler's program as it travels: one file, compressed, and the few lines that start it. Both go into a ConfigMap that a stock Node
 * image runs, so that no image has to be built.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Found from `src/` as from `lib/`. */
const BUNDLE = join(__dirname, '../../../lib/bundles/scheduler.js.br');

export const PROGRAM_KEY = 'scheduler.js.br';
export const START_KEY = 'start.cjs';

/** Unpacks the program that lies beside it and runs it as if it were a file. */
const START = `'use strict';
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { compileFunction } = require('node:vm');
const { brotliDecompressSync } = require('node:zlib');
const filename = join(__dirname, 'scheduler.js');
const source = brotliDecompressSync(readFileSync(join(__dirname, '${PROGRAM_KEY}'))).toString('utf8');
const module_ = { exports: {} };
compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename })(
  module_.exports, createRequire(filename), module_, filename, __dirname,
);
`;

export interface Program {
  /** Base64, for `binaryData`. */
  readonly bundle: string;
  readonly start: string;
  /** Ten digits that change with the content. */
  readonly hash: string;
}

/** @throws where the package was not built */
export function schedulerProgram(): Program {
  if (!existsSync(BUNDLE)) {
    throw new Error(
      `The scheduler's program ${BUNDLE} was not found. In a checkout, create it with \`npm run bundle\`.`,
    );
  }
  const bundle = readFileSync(BUNDLE);
  const hash = createHash('sha256').update(START).update(bundle).digest('hex').slice(0, 10);
  return { bundle: bundle.toString('base64'), start: START, hash };
}
