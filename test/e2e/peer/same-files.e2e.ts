/**
 * The figures of docs/compare.md on the manifests of `test/fixtures`.
 */
import { components, programPath } from '../control-plane/components';
import { describeLive } from '../live-cluster';
import { judgeSameFiles } from './same-files';

describeLive('of the same manifests', () => {
  const program = programPath(components().find(({ name }) => name === 'kubeconform')!);

  it('kubeconform and Gantry find those with mistakes that the page says', () => {
    expect(judgeSameFiles(program, 'defects')).toEqual({
      documents: 23,
      kubeconform: { rejected: 4, withoutSchema: 2 },
      gantry: { rejected: 7, withErrors: 14, withWarnings: 21 },
    });
  });

  it('both accept the corrected ones', () => {
    expect(judgeSameFiles(program, 'corrected')).toMatchObject({
      documents: 26,
      kubeconform: { rejected: 1, withoutSchema: 1 },
      gantry: { rejected: 0, withErrors: 0 },
    });
  });
});
