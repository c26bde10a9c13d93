import { checkMixedGangs } from './mixed-gangs';
import { samples } from '../support/samples';

test('a gang of several roles is placed wherever a brute force places it, whichever of its pods it needs', () => {
  checkMixedGangs(samples(300), 3);
});
