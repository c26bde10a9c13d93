/**
 * The programs of the suite, by name. Each runs in a process of its own (`run-program.ts`), as programs of users do.
 */
import * as pulumi from '@pulumi/pulumi';
import { pulumiPlatform } from '../../../examples/pulumi-platform/main';
import { CustomResourceDefinition } from '../../../src/facts/api/types/apiextensions.k8s.io/v1';
import { ConfigMap, Namespace, Secret, Service } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack, type ObjectOptions, PulumiOptions } from '../../../src/interfaces/pulumi';

/** What a run changes of a program. */
export interface Change {
  /** Text of the ConfigMap `settings`. */
  readonly text?: string;
  /** Id of its construct. */
  readonly id?: string;
  /** Path that its construct had before. */
  readonly from?: string;
  /** Name of the stack in `treated`, with its name before. */
  readonly stack?: { readonly name: string; readonly before: string };
  /** Address of the Service of `web`. */
  readonly address?: string;
}

type Program = (change: Change) => unknown;
type Transform = pulumi.ResourceTransform;

export const PROGRAMS = { lab, web, rejected, treated, platform, template } satisfies Readonly<Record<string, Program>>;
export type ProgramName = keyof typeof PROGRAMS;

/** A namespace and what is in it: a secret, an output of the stack in another object, a definition and an object of its kind. */
function lab(change: Change): unknown {
  const stack = new GantryStack('lab', (chart, built) => {
    const namespace = new Resource(chart, 'ns', Namespace, { metadata: { name: 'lab' } });
    new Resource(chart, 'key', Secret, {
      metadata: { name: 'key', namespace: 'lab' },
      stringData: { token: pulumi.secret('a-secret-of-the-test') },
    });
    const settings = new Resource(chart, change.id ?? 'settings', ConfigMap, {
      metadata: { name: 'settings', namespace: 'lab' },
      data: { text: pulumi.output(change.text ?? 'one') },
    });
    if (change.from !== undefined) {
      PulumiOptions.of(settings).set({ renamedFrom: change.from });
    }
    new Resource(chart, 'late', ConfigMap, {
      metadata: { name: 'late', namespace: 'lab' },
      data: { uid: built.get(namespace).metadata.uid },
    });
    new Resource(
      chart,
      'widget',
      { apiVersion: 'lab.example.com/v1', kind: 'Widget' },
      { metadata: { name: 'w', namespace: 'lab' } },
    );
    new Resource(chart, 'crd', CustomResourceDefinition, {
      metadata: { name: 'widgets.lab.example.com' },
      spec: {
        group: 'lab.example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
  });
  return { namespace: stack.nameOf(stack.app.node.findChild('lab').node.findChild('ns')) };
}

/** The lab, and a Service with an address that only the server can judge. */
function web({ address = 'None', ...change }: Change): unknown {
  new GantryStack('web', (chart) => {
    const first = new Resource(chart, 'a', ConfigMap, { metadata: { name: 'web-a', namespace: 'default' } });
    const service = new Resource(chart, 'svc', Service, {
      metadata: { name: 'web', namespace: 'default' },
      spec: { ports: [{ port: 80 }], clusterIP: pulumi.output(address) },
    });
    // The engine begins nothing after an error, so that what is to be there must come before.
    service.node.addDependency(first);
  });
  return lab(change);
}

/** An object that the checks accept beside one that they do not. */
function rejected(): unknown {
  new GantryStack('more', (chart) => {
    new Resource(chart, 'fine', ConfigMap, { metadata: { name: 'fine', namespace: 'default' } });
    new Resource(chart, 'bad', ConfigMap, { metadata: { name: 'Bad_Name', namespace: 'default' } });
  });
  return {};
}

/** ConfigMaps with options of Pulumi. */
function treated({ id = 'kept', stack: { name, before } = { name: 'treated', before: 'treated' } }: Change): unknown {
  const adds: Transform = ({ props, opts }) => ({ props: { ...props, data: { added: 'yes' } }, opts });
  const addsToAll: Transform = ({ custom, props, opts }) =>
    custom ? { props: { ...props, immutable: false }, opts } : undefined;
  const stack = new GantryStack(
    name,
    (chart) => {
      const add = (construct: string, object: string, options: ObjectOptions): void => {
        const metadata = { name: object, namespace: 'default' };
        PulumiOptions.of(new Resource(chart, construct, ConfigMap, { metadata })).set(options);
      };
      add('left', 'treated-left', { retainOnDelete: true });
      add('changed', 'treated-changed', { deletionPropagation: 'orphan', patchForce: true, transforms: [adds] });
      add(id, 'treated-kept', { protect: true, aliases: id === 'kept' ? [] : [{ name: `${before}/kept` }] });
    },
    {},
    { aliases: name === before ? [] : [{ name: before }], transforms: [addsToAll] },
  );
  return { uid: stack.get(`${name}/${id}`).metadata.uid };
}

/** The reference platform. */
function platform(): unknown {
  const stack = pulumiPlatform();
  return { queue: stack.nameOf('teams/research/queue') };
}

/** What `gantry init --template pulumi` writes. */
function template(): unknown {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the module is the program
  return require('../../../src/interfaces/cli/init/templates/pulumi/index');
}
