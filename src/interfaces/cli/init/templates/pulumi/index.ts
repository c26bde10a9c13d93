import * as kubernetes from '@pulumi/kubernetes';
import { Config } from '@pulumi/pulumi';
import { GantryStack } from 'cdk8s-gantry/pulumi';
import { Platform } from './platform';

// The cluster is that of the current kubeconfig context, or of `pulumi config set context NAME`.
const context = new Config().get('context');
const cluster = new kubernetes.Provider('cluster', {
  enableServerSideApply: true,
  ...(context !== undefined && { context }),
});

new GantryStack('platform', Platform, {}, { providers: { kubernetes: cluster } });
