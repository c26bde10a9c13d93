import { App } from 'cdk8s';
import { Platform } from './platform';

const app = new App();
new Platform(app, 'platform');
app.synth();
