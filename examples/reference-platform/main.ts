/**
 * A platform for two teams on one GPU cluster, as one app: `npm start` synthesizes and checks it.
 */
import { App } from 'cdk8s';
import { Applied } from './applied';
import { Lab } from './lab';
import { Nodes } from './nodes';
import { Platform } from './platform';
import { Research } from './research';
import { Serving } from './serving';
import { Teams } from './teams';

export function referencePlatform(app: App): App {
  const nodes = new Nodes(app, 'nodes');
  const platform = new Platform(app, 'platform');
  platform.addDependency(nodes);
  const teams = new Teams(app, 'teams', platform);
  new Research(app, 'research', platform, teams);
  new Applied(app, 'applied', platform, teams);
  new Serving(app, 'serving', nodes);
  new Lab(app, 'lab', nodes);
  return app;
}

if (require.main === module) {
  referencePlatform(new App()).synth();
}
