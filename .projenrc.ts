import { GantryProject } from './projen/gantry-project';

const project = new GantryProject({
  name: 'cdk8s-gantry',
  description:
    'GPU and AI platforms on Kubernetes as typed constructs: manifests that are checked as strictly as a live server checks them, before anything is applied.',
});

project.synth();
