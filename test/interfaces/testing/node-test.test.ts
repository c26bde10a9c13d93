/**
 * The kit without Jest: `node:test` runs a file that uses the package as it is compiled.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Workplace } from '../cli/fake-terminal';

const TESTING = JSON.stringify(join(__dirname, '../../../lib/interfaces/testing'));

test('node:test reports an assertion that fails with its message', () => {
  const place = new Workplace();
  try {
    place.write(
      'stack.test.js',
      `const test = require('node:test');
const { Match, Template } = require(${TESTING});
const template = Template.fromYaml('apiVersion: v1\\nkind: Namespace\\nmetadata: { name: research }\\n');
test('holds', () => template.hasResource('Namespace', { metadata: { name: Match.anyValue() } }));
test('fails', () => template.hasResource('Namespace', { metadata: { name: 'training' } }));
`,
    );
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter', 'tap', 'stack.test.js'], {
      cwd: place.folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ok 1 - holds$/m);
    expect(stdout).toMatch(/^not ok 2 - fails$/m);
    expect(stdout).toContain('/metadata/name: expected "training", found "research"');
  } finally {
    place.remove();
  }
});
