/**
 * A platform for two teams on one GPU cluster, as one app: `npm start` synthesises and checks it.
 */
import { App } from 'cdk8s';
import { Applied } from './applied';
import { Platform } from './platform';
import { Research } from './research';
import { Teams } from './teams';

export function referencePlatform(app: App): App {
  const platform = new Platform(app, 'platform');
  const teams = new Teams(app, 'teams', platform);
  new Research(app, 'research', platform, teams);
  new Applied(app, 'applied', platform, teams);
  return app;
}

if (require.main === module) referencePlatform(new App()).synth();
