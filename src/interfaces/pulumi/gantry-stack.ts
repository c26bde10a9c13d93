/**
 * GantryStack: a chart, or a program that builds constructs, as a component of a Pulumi program.
 *
 * Constructs run once, in the constructor, where Outputs become tokens (`tokens.ts`). What follows is asynchronous (`stack-run.ts`).
 */
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart, type ChartProps } from 'cdk8s';
import { type Construct, type IConstruct } from 'constructs';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { renderedWithSuppressions } from '../../checks/synth/check-tree';
import { type Report } from '../../checks/report/report';
import { validateConstructs } from '../../checks/synth/synthesize';
import { synthState } from '../../checks/synth/synth-state';
import { type RenderedObject } from '../../manifests/constructs';
import { type Carried, type CarriedMap } from '../../manifests/values/deferred';
import { helmInstallsIn } from './helm-release';
import { type Later, later } from './later';
import { type ObjectResource } from './object-resource';
import { laterOutput, stateOf } from './outputs';
import { type ObjectOptions, optionsFor } from './resource-options';
import { StackRun } from './stack-run';
import { constructAt, type ConstructOf, objectOf, type Stored, type StoredObject } from './stored-object';
import { TokenRegistry } from './tokens';

/** A class of charts, as cdk8s writes them. */
export type ChartClass<Props> = new (scope: Construct, id: string, props: Props) => Chart;

/** What a stack is built from: a chart class, a function that fills a chart, or one that fills an app with charts. */
export type StackProgram<Props> =
  | ChartClass<Props>
  | ((chart: Chart, stack: GantryStack) => void)
  | { readonly app: (app: App, stack: GantryStack) => void };

/** Arguments of a GantryStack. */
export interface GantryStackArgs<Props extends object = object> {
  /** Namespace of the chart's objects; not for an app, whose charts have their own. @default - that of the objects, or of the provider */
  readonly namespace?: Carried<string>;
  /** Labels of all objects of the chart; not for an app. @default - none */
  readonly labels?: CarriedMap<string>;
  /** Props of the chart class beside those; not for an app. @default - none */
  readonly props?: Props;
  /** Options of the whole stack's objects; `PulumiOptions.of(construct)` sets them for a part. @default - none */
  readonly options?: ObjectOptions;
}

/** Props of a chart class that the stack does not set itself. */
export type OwnProps<Props> = Omit<NonNullable<Props>, 'namespace' | 'labels'>;

/** What follows the program: arguments and options. The arguments are required where the chart class has required props. */
export type StackArguments<Props> =
  object extends OwnProps<Props>
    ? [args?: GantryStackArgs<OwnProps<Props>>, opts?: pulumi.ComponentResourceOptions]
    : [
        args: GantryStackArgs<OwnProps<Props>> & { readonly props: OwnProps<Props> },
        opts?: pulumi.ComponentResourceOptions,
      ];

const TYPE = 'gantry:index:GantryStack';

/**
 * Builds constructs and registers each of their objects as a resource of Pulumi, with the checks of this library in every preview.
 *
 * The name of a resource is the path of its construct; its parent is the stack; it depends on what its construct depends on.
 *
 * @example
 * const stack = new GantryStack('research', (chart) => {
 *   new Namespace(chart, 'research');
 * });
 */
export class GantryStack<Props = object> extends pulumi.ComponentResource<Report> {
  /** The app that holds the constructs. */
  readonly app: App;
  /** Resolves with the report of the checks when all objects are registered; rejects with the findings if one of them is an error. */
  readonly done: Promise<Report>;
  private readonly stackName: string;
  private readonly registry: TokenRegistry;
  private readonly resources = new Map<ApiObject, Promise<ObjectResource>>();
  private readonly unannounced = new Map<ApiObject, Later<ObjectResource>>();
  declare private settled: { readonly resolve: (report: Promise<Report>) => void };

  /**
   * @param name name of the component, and the first part of the names of its objects
   * @param program a chart class, a function that fills a chart, or `{ app }` with a function that adds charts to an app
   * @throws if a construct is given what it cannot be built from, or an app is given arguments of a chart
   */
  constructor(name: string, program: StackProgram<Props>, ...[args = {}, opts = {}]: StackArguments<Props>) {
    super(TYPE, name, {}, opts);
    this.stackName = name;
    this.registry = new TokenRegistry(name);
    this.app = new App({ resolvers: [this.registry] });
    const { objects, installs } = this.registry.within(() => {
      synthState(this.app).installsCharts = true;
      this.build(name, program, args);
      validateConstructs(this.app);
      for (const construct of this.app.node.findAll()) {
        if (ApiObject.isApiObject(construct)) {
          this.registry.inPatchesOf(construct);
        }
      }
      const rendered = renderedWithSuppressions(this.app);
      refuseDeferredNames(rendered, this.registry);
      return { objects: rendered, installs: helmInstallsIn(this.app) };
    });
    const run = new StackRun(this, {
      name,
      registry: this.registry,
      objects: objects.map((object) => ({ ...object, provider: this.optionsOf(object.construct, args).provider })),
      installs,
      optionsOf: (construct) => this.optionsOf(construct, args),
      announce: (construct, resource) => this.announce(construct, resource),
      isAskedFor: (construct) => this.resources.has(construct),
    });
    const announced = run.done();
    this.settled.resolve(announced);
    this.done = announced.then(async (report) => {
      const objects = await Promise.all(this.resources.values());
      const resources: readonly pulumi.Resource[] = [...objects, ...run.installed];
      await Promise.all(resources.map(({ urn }) => stateOf(urn).promise()));
      return report;
    });
    // The failure is reported where `done` is, once.
    this.getData().catch(() => undefined);
  }

  /**
   * Returns an object of the stack as the cluster has it, for other resources and for exports: `stack.get(job).status`.
   *
   * It may be used while the stack is built, so that one object of the stack carries what the cluster wrote into another.
   *
   * @param construct a construct of an object, or one whose object is its `resource`; its kind gives the output its type
   * @throws if the construct is not a single object, or not of this stack
   */
  get<T>(construct: ConstructOf<T>): pulumi.Output<Stored<T>>;
  /**
   * Returns an object of the stack as the cluster has it.
   *
   * @param construct a construct of an object, or its path, which is also the name of its resource: `stack.get('research/queue', Queue)`
   * @param kind the kind, which gives the output its type
   * @throws if there is not exactly one object, or it is of another kind
   */
  get<T>(construct: IConstruct | string, kind: ResourceKind<T>): pulumi.Output<Stored<T>>;
  /**
   * Returns an object of the stack as the cluster has it, without the type of its kind.
   *
   * @throws if there is not exactly one object
   */
  get(construct: IConstruct | string): pulumi.Output<StoredObject>;
  get(construct: IConstruct | string, kind?: ResourceKind<unknown>): pulumi.Output<unknown> {
    const object = objectOf(typeof construct === 'string' ? this.constructAt(construct) : construct, kind);
    if (object.node.root !== this.app) {
      throw new Error(
        `${object.node.path} is not an object of the stack ${this.stackName}. Use the stack that builds it.`,
      );
    }
    return laterOutput(this.resourceOf(object).then((resource) => resource.object));
  }

  /**
   * Returns the name of an object, known when the object is registered: a queue or a namespace for other resources.
   *
   * @throws if there is not exactly one object
   */
  nameOf(construct: IConstruct | string): pulumi.Output<string> {
    return this.get(construct).metadata.name;
  }

  /**
   * Returns a string that is replaced by the value of an Output, for use while the stack is built, for constructs that take a string only, such as those of
   * cdk8s-plus. A string that consists of it alone keeps the type of the value.
   */
  text(output: pulumi.Input<unknown>): string {
    return this.registry.tokenOf(output);
  }

  protected override initialize(): Promise<Report> {
    return new Promise((resolve) => {
      this.settled = { resolve };
    });
  }

  /** The construct with this path, or whose resource has this name. */
  private constructAt(path: string): IConstruct {
    const paths = [path, ...(path.startsWith(`${this.stackName}/`) ? [path.slice(this.stackName.length + 1)] : [])];
    const found = constructAt(this.app, paths);
    if (found === undefined) {
      throw new Error(
        `the stack ${this.stackName} has no construct ${path}. Paths begin with a chart: ${this.app.charts.map(({ node }) => node.path).join(', ')}.`,
      );
    }
    return found;
  }

  private build(name: string, program: StackProgram<never>, args: GantryStackArgs): void {
    const { namespace, labels, props: own } = args;
    if (typeof program === 'object') {
      refuseChartArgs(name, { namespace, labels, props: own });
      program.app(this.app, this);
      return;
    }
    const props: ChartProps = {
      ...own,
      ...(namespace === undefined ? {} : { namespace: this.registry.tokenOf(namespace) }),
      ...(labels === undefined ? {} : { labels: this.registry.membersOf(labels) }),
    };
    if (isChartClass(program)) {
      new program(this.app, name, props as never);
    } else {
      program(new Chart(this.app, name, props), this);
    }
  }

  private optionsOf(construct: IConstruct, { options = {} }: GantryStackArgs): ObjectOptions {
    return { ...options, ...optionsFor(construct) };
  }

  private resourceOf(object: ApiObject): Promise<ObjectResource> {
    let resource = this.resources.get(object);
    if (resource === undefined) {
      const unannounced = later<ObjectResource>();
      this.unannounced.set(object, unannounced);
      resource = unannounced.promise;
      this.resources.set(object, resource);
    }
    return resource;
  }

  private announce(object: ApiObject, resource: Promise<ObjectResource>): void {
    void this.resourceOf(object);
    this.unannounced.get(object)?.resolve(resource);
  }
}

/** @throws if a stack of several charts is given what only one chart takes */
function refuseChartArgs(name: string, args: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(args).find((key) => args[key] !== undefined);
  if (given !== undefined) {
    throw new Error(
      `${name}: ${given} must not be set when the program is an app, which has charts of its own. Set it on these charts.`,
    );
  }
}

/** @throws if an object has no name yet: it is what everything else knows the object by */
function refuseDeferredNames(rendered: readonly RenderedObject[], registry: TokenRegistry): void {
  for (const { construct, manifest } of rendered) {
    if (registry.has(manifest.id.name)) {
      throw new Error(
        `${construct.node.path}: metadata.name must be known at synthesis, because references and checks follow from it. Pass a string, for example from pulumi.Config.`,
      );
    }
  }
}

function isChartClass(program: unknown): program is ChartClass<never> {
  return (
    typeof program === 'function' && typeof (program.prototype as Partial<Chart> | undefined)?.toJson === 'function'
  );
}
