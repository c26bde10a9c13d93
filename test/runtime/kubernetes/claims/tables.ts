/**
 * The cases with which Kubernetes tests its allocator of devices, as data: API objects, and the allocations that it makes for them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../../src/facts/api/schema';

/** JSON by line: `AllocatorTables`, then each `AllocatorCase`. */
export const TABLES = join(__dirname, '../../../fixtures/claims/allocator-tables.jsonl');

/** The first line. */
export interface AllocatorTables {
  /** The module and its version. */
  readonly source: string;
  readonly cases: number;
}

export interface AllocatorCase {
  readonly name: string;
  /** Optional features that are on. @default - none */
  readonly features?: readonly string[];
  readonly node: JsonObject;
  readonly classes?: readonly JsonObject[];
  readonly slices?: readonly JsonObject[];
  readonly claims?: readonly JsonObject[];
  /** Devices (`DRIVER/POOL/DEVICE`) that are allocated already. @default - none */
  readonly whole?: readonly string[];
  /** Amounts that are allocated of devices that claims share. @default - none */
  readonly shares?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly answer: AllocatorAnswer;
  /** What it answers if every feature is on. @default - the same */
  readonly answerOfAllFeatures?: AllocatorAnswer;
}

export interface AllocatorAnswer {
  /** Why it allocates nothing, and tries no other node. */
  readonly error?: string;
  /** `status.allocation` by claim, with the share ID `share`. @default - the node has no devices for them */
  readonly allocations?: readonly JsonObject[];
}

export function readTables(): { readonly tables: AllocatorTables; readonly cases: readonly AllocatorCase[] } {
  const [tables = '', ...cases] = readFileSync(TABLES, 'utf8').trimEnd().split('\n');
  return {
    tables: JSON.parse(tables) as AllocatorTables,
    cases: cases.map((line) => JSON.parse(line) as AllocatorCase),
  };
}
