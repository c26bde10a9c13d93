/**
 * A small stack that uses every entry point, as a user of the package writes it. Compiled and run against the packed package.
 */
import { App, Chart } from 'cdk8s';
import { Accelerator, Checks, kubeflow, Namespace, Resource, synthesize, type Synthesis } from 'cdk8s-gantry';
import { Queue } from 'cdk8s-gantry/api/scheduling.volcano.sh/v1beta1';
import { check, defineRule, readManifests, renderJson, renderSarif, renderText, runRule } from 'cdk8s-gantry/checks';
import { type Manifest, type ManifestSet, valueAt } from 'cdk8s-gantry/manifests';
import { decide, type Snapshot } from 'cdk8s-gantry/placement';
import { Testing } from 'cdk8s-gantry/testing';

export const owner = defineRule({
  on: 'object',
  id: 'acme/owner-label',
  kinds: ['kubeflow.org/PyTorchJob'],
  severity: 'warning',
  summary: 'Each training job has the label acme.example/owner.',
  fix: 'Set metadata.labels["acme.example/owner"] to the name of a team.',
  check: (manifest: Manifest, { set }: { readonly set: ManifestSet }) =>
    set.manifests.length > 0 && valueAt(manifest.object, '/metadata/labels/acme.example~1owner') === undefined
      ? [{ path: '/metadata/labels', message: 'label "acme.example/owner" is required' }]
      : [],
});

export class Training extends Chart {
  constructor(app: App, id: string) {
    super(app, id, { namespace: 'research' });
    new Namespace(this, 'research');
    new Resource(this, 'queue', Queue, { metadata: { name: 'research' }, spec: { weight: 1 } });
    new kubeflow.PyTorchJob(this, 'llm', {
      nodes: 2,
      image: 'registry.example.com/llm:1.4',
      command: ['torchrun', 'train.py'],
      accelerators: Accelerator.nvidia({ count: 8 }),
      resources: { cpu: 8, memory: '64Gi' },
      sharedMemory: '8Gi',
    });
  }
}

/** Adds the rule to an app, synthesizes it, and returns everything that the package says about it. */
export function facts(): readonly unknown[] {
  const app = new App();
  new Training(app, 'training');
  Checks.of(app).addRules(owner);
  const { objects, report, manifests }: Synthesis = synthesize(app);
  const again = check(manifests, { rules: [owner] });
  const text = [renderText(report), renderJson(report), renderSarif(report, { rules: [owner] })];
  const snapshot: Snapshot = { now: 0, nodes: [], queues: [], gangs: [], pods: [] };
  return [
    objects.map(({ kind }) => kind),
    report.findings.map(({ rule }) => rule),
    again.findings.length,
    text.every((one) => one.includes('acme/owner-label')),
    runRule(owner, 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: llm\n').length,
    check(readManifests('apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n')).findings.length > 0,
    decide(snapshot).bindings.length,
    Testing.synth(app).length,
  ];
}
