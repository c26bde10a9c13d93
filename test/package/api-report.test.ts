/**
 * A change of the public API is a diff in `api/`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { apiReports } from '../../projen/docs/api-report';
import { ROOT } from './packed';

const reports = [...apiReports()];

test.each(reports.map(([file, text]) => [basename(file), file, text]))(
  'api/%s is what the build declares; if the change is meant, run npm run generate:api-report',
  (_, file, text) => {
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(text);
  },
);

test('each report belongs to an entry point', () => {
  expect(readdirSync(join(ROOT, 'api')).sort()).toEqual(reports.map(([file]) => basename(file)).sort());
});

test('what is internal is not declared', () => {
  expect(reports.filter(([, text]) => text.includes('@internal')).map(([file]) => file)).toEqual([]);
});
