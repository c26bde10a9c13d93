import { test } from 'node:test';
import { Testing } from 'cdk8s';
import { PyTorchJob } from 'cdk8s-gantry/api/kubeflow.org/v1';
import { Template } from 'cdk8s-gantry/testing';
import { Platform } from '../platform';

const platform = new Platform(Testing.app(), 'platform');
const template = Template.fromChart(platform);

test('the training job runs on two nodes', () => {
  template.resourceCountIs(PyTorchJob, 1);
  template.hasResource(PyTorchJob, { spec: { pytorchReplicaSpecs: { Worker: { replicas: 1 } } } });
});

test('the manifests have no errors', () => {
  template.hasNoFindings('error');
});

test('the training job fits the cluster', () => {
  template.plan('cluster.yaml').places(platform.training);
});
