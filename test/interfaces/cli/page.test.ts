import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TIERS } from '../../../src/checks/report/finding';
import { Workplace } from './fake-terminal';

const PAGE = readFileSync(join(__dirname, '../../..', 'docs', 'cli.md'), 'utf8');

test.each(['check', 'synth', 'simulate', 'catalog', 'rules'])(
  'the page names every option of `gantry %s`',
  async (command) => {
    const place = new Workplace();
    const { out } = await place.run([command, '--help']);
    place.remove();
    const flags = [...out.matchAll(/--[a-z0-9-]+/g)].map(([flag]) => flag).filter((flag) => flag !== '--help');
    expect(PAGE).toContain(`gantry ${command}`);
    expect(
      flags.filter((flag) => !PAGE.includes(`\`${flag}`) && !PAGE.includes(`${flag}\``) && !PAGE.includes(`${flag} `)),
    ).toEqual([]);
  },
);

test('the page explains every tier', () => {
  expect(TIERS.filter((tier) => !PAGE.includes(`| \`${tier}\` |`))).toEqual([]);
});
