/**
 * The reference platform as a Pulumi program: the charts are those of `examples/reference-platform`, and `pulumi up` applies them.
 *
 * The cluster has Flux, which installs the operators, and Volcano, in the namespaces `flux-system` and `volcano-system`.
 * Objects of a platform that many depend on are protected; what Pulumi knows and the charts need comes in as outputs.
 */
import type * as pulumi from '@pulumi/pulumi';
import { GantryStack, PulumiOptions } from 'cdk8s-gantry/pulumi';
import { referencePlatform } from '../reference-platform/main';

/** The stack, with the names that other programs refer to. */
export function pulumiPlatform(opts: pulumi.ComponentResourceOptions = {}): GantryStack {
  return new GantryStack(
    'platform',
    {
      app: (app) => {
        referencePlatform(app);
        PulumiOptions.of(app.node.findChild('teams')).set({ protect: true });
      },
    },
    {},
    opts,
  );
}

if (require.main === module) {
  pulumiPlatform();
}
