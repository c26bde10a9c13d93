/**
 * Writes the JSON Schema of `.gantry.yaml`, which editors read, from the schema that the command line reads the file by.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFIGURATION_SCHEMA } from '../../src/interfaces/cli/settings/configuration-schema';

const FILE = join(__dirname, '../../schemas/gantry.schema.json');

mkdirSync(dirname(FILE), { recursive: true });
writeFileSync(FILE, `${JSON.stringify(CONFIGURATION_SCHEMA, undefined, 2)}\n`);
