import { checkMixedGangs } from './mixed-gangs';

test('a gang of several roles is placed wherever a brute force places it', () => {
  checkMixedGangs(300, 3);
});
