/**
 * One preview, measured: prints `{ seconds, megabytes }`. Run by `pulumi.ts`.
 */
import { type Chart } from 'cdk8s';
import type * as Kubernetes from '@pulumi/kubernetes';
import type * as Cdk8s from 'cdk8s';
import type * as Bridge from '../src/interfaces/pulumi';
import { type JsonObject } from '../src/facts/api/schema';
import { workspace } from '../test/e2e/pulumi/workspace';
import { startProvider } from '../test/e2e/pulumi/provider';

export const FLAVORS = ['plain @pulumi/kubernetes', 'GantryStack'] as const;
export type Flavor = (typeof FLAVORS)[number];

export interface PreviewMeasurement {
  readonly seconds: number;
  /** Peak resident set of the process that runs the program. */
  readonly megabytes: number;
}

/** A tenth are namespaces, the others Deployments and ConfigMaps in them. */
function objectsOf(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index): JsonObject => {
    const namespace = `team-${Math.floor(index / 10)}`;
    const name = `app-${index}`;
    if (index % 10 === 0) {
      return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    }
    if (index % 2 === 0) {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { text: `text ${index}` } };
    }
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, labels: { app: name } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            containers: [
              {
                name: 'main',
                image: 'registry.example.com/app:1',
                env: [{ name: 'INDEX', value: String(index) }],
                resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } },
              },
            ],
          },
        },
      },
    };
  });
}

/* oxlint-disable typescript/no-require-imports -- each flavor loads its own packages alone */
function plain(objects: readonly JsonObject[]): void {
  const k8s = require('@pulumi/kubernetes') as typeof Kubernetes;
  for (const [index, object] of objects.entries()) {
    const { kind } = object;
    const resource =
      kind === 'Namespace'
        ? k8s.core.v1.Namespace
        : kind === 'ConfigMap'
          ? k8s.core.v1.ConfigMap
          : k8s.apps.v1.Deployment;
    new (resource as new (name: string, args: object) => unknown)(`object-${index}`, object);
  }
}

function gantry(objects: readonly JsonObject[]): void {
  const { GantryStack } = require('../src/interfaces/pulumi') as typeof Bridge;
  const { ApiObject } = require('cdk8s') as typeof Cdk8s;
  new GantryStack('bench', (chart: Chart) => {
    for (const [index, object] of objects.entries()) {
      new ApiObject(chart, `object-${index}`, object as never);
    }
  });
}

async function main([flavor = '', count = '']: readonly string[]): Promise<void> {
  const provider = await startProvider();
  const space = await workspace('bench', provider.port);
  const objects = objectsOf(Number(count));
  space.use(() => Promise.resolve((flavor === 'GantryStack' ? gantry : plain)(objects)));
  const begin = performance.now();
  const { changeSummary } = await space.stack.preview();
  const seconds = (performance.now() - begin) / 1000;
  const created = changeSummary.create ?? 0;
  if (created < objects.length) {
    throw new Error(`the preview creates ${created} of ${objects.length} objects`);
  }
  space.remove();
  provider.stop();
  console.log(JSON.stringify({ seconds, megabytes: process.resourceUsage().maxRSS / 1024 }));
  process.exit(0);
}

if (require.main === module) {
  void main(process.argv.slice(2));
}
