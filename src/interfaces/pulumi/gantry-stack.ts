/**
 * GantryStack: a chart, or a program that builds constructs, as a component of a Pulumi program.
 *
 * 1. Build: constructs run once, in the constructor. Outputs become tokens (`tokens.ts`).
 * 2. Settle: wait for the values of Outputs, except those that come from objects of a stack: of this one, which would wait for itself, or of
 *    another one, which may wait for this one.
 * 3. Check: rules judge the objects with the values that are known. An error ends the program before anything is registered.
 * 4. Register: each object with its dependencies. Objects that carry outputs of a stack follow when these have values, each batch checked
 *    before it is registered.
 */
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart, type ChartProps } from 'cdk8s';
import { type Construct, type IConstruct } from 'constructs';
import { findKind } from '../../facts/api/kinds';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { renderedWithSuppressions } from '../../checks/check-tree';
import { type Report } from '../../checks/report';
import { type Resource } from '../../constructs/resources/resource';
import { validateConstructs } from '../../checks/synthesize';
import { synthState } from '../../checks/synth-state';
import { type RenderedObject } from '../../manifests/constructs';
import { type Carried, type CarriedMap } from '../../manifests/deferred';
import { type HelmInstall, helmInstallsIn, registerRelease } from './helm-release';
import { EngineHold } from './engine-hold';
import { type Edges, edgesOf } from './edges';
import { failOnErrors, logNotices } from './log-findings';
import { checkObjects, type StackObject } from './object-check';
import { type ObjectResource, providerVersion, registerObject, type Registration } from './object-resource';
import { isOfAStack, laterOutput, settle, type Settled, stateOf } from './outputs';
import { type ObjectOptions, optionsFor } from './resource-options';
import { TokenRegistry } from './tokens';

/** A class of charts, as cdk8s writes them. */
export type ChartClass<Props> = new (scope: Construct, id: string, props: Props) => Chart;

/** What a stack is built from: a chart class, a function that fills a chart, or one that fills an app with charts. */
export type StackProgram<Props extends object> =
  | ChartClass<Props>
  | ((chart: Chart, stack: GantryStack) => void)
  | { readonly app: (app: App, stack: GantryStack) => void };

/** Arguments of a GantryStack. */
export interface GantryStackArgs<Props extends object = object> {
  /** Namespace of the chart's objects. @default - that of the objects, or of the provider */
  readonly namespace?: Carried<string>;
  /** Labels of all objects of the chart. @default - none */
  readonly labels?: CarriedMap<string>;
  /** Props of the chart class beside those. @default - none */
  readonly props?: Props;
  /** Options of the whole stack's objects; `PulumiOptions.of(construct)` sets them for a part. @default - none */
  readonly options?: ObjectOptions;
}

/** An object with what the cluster wrote. */
export interface StoredObject {
  /** `group/version`, or `version` alone for the core group. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Metadata, with what the server set. */
  readonly metadata: {
    /** Name of the object. */
    readonly name: string;
    /** Namespace of the object; absent for cluster-scoped kinds. */
    readonly namespace?: string;
    /** UID that the server gave it; not known in a preview that creates the object. */
    readonly uid: string;
    /** Labels of the object. Absent where it has none. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Annotations of the object. Absent where it has none. */
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** Desired state; absent for kinds without one. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** What the cluster reports; absent until it does. */
  readonly status?: Readonly<Record<string, unknown>>;
}

/** An object of a kind with what the cluster wrote: metadata is there, and so is the status once the cluster reports it. */
export type Stored<T> = { readonly [Member in Exclude<keyof T, CommonMember>]: T[Member] } & Pick<
  StoredObject,
  CommonMember
>;
type CommonMember = 'apiVersion' | 'kind' | 'metadata';

/** A construct of one object whose kind is known: `Resource` itself, or a construct that has it as its `resource`. */
export type ConstructOf<T> = Resource<T> | (IConstruct & { readonly resource: Resource<T> });

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
export class GantryStack extends pulumi.ComponentResource<Report> {
  /** The app that holds the constructs. */
  readonly app: App;
  /** Resolves with the report of the checks when all objects are registered; rejects with the findings if one of them is an error. */
  readonly done: Promise<Report>;
  private readonly stackName: string;
  private readonly registry: TokenRegistry;
  private readonly resources = new Map<ApiObject, Promise<ObjectResource>>();
  private readonly deferred = new Map<ApiObject, (resource: Promise<ObjectResource>) => void>();
  declare private settled: { readonly resolve: (report: Promise<Report>) => void };

  /**
   * @param name name of the component, and the first part of the names of its objects
   * @param program a chart class, a function that fills a chart, or `{ app }` with a function that adds charts to an app
   * @throws if a construct is given what it cannot be built from
   */
  constructor(
    name: string,
    program: StackProgram<never>,
    args: GantryStackArgs = {},
    opts: pulumi.ComponentResourceOptions = {},
  ) {
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
    const object = objectOf(typeof construct === 'string' ? this.constructAt(construct) : construct);
    if (object.node.root !== this.app) {
      throw new Error(
        `${object.node.path} is not an object of the stack ${this.stackName}. Use the stack that builds it.`,
      );
    }
    if (kind !== undefined && (kind.kind !== object.kind || kind.apiVersion !== object.apiVersion)) {
      throw new Error(
        `${object.node.path} is a ${object.apiVersion} ${object.kind}, not a ${kind.apiVersion} ${kind.kind}.`,
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
    const found = paths
      .map((one) => one.split('/').reduce<IConstruct | undefined>(childOf, this.app))
      .find((construct) => construct !== undefined);
    if (found === undefined) {
      throw new Error(
        `the stack ${this.stackName} has no construct ${path}. Paths begin with a chart: ${this.app.charts.map(({ node }) => node.path).join(', ')}.`,
      );
    }
    return found;
  }

  private build(name: string, program: StackProgram<never>, args: GantryStackArgs): void {
    if (typeof program === 'object') {
      program.app(this.app, this);
      return;
    }
    const { namespace, labels } = args;
    const props: ChartProps = {
      ...args.props,
      ...(namespace === undefined ? {} : { namespace: this.registry.tokenOf(namespace) }),
      // cdk8s copies the map member by member; a whole Output is recognized when the copy is rendered.
      ...(labels === undefined ? {} : { labels: labels as Record<string, string> }),
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
      resource = new Promise((resolve) => this.deferred.set(object, resolve));
      // Reported where `done` is.
      resource.catch(() => undefined);
      this.resources.set(object, resource);
    }
    return resource;
  }

  private announce(object: ApiObject, resource: Promise<ObjectResource>): void {
    void this.resourceOf(object);
    this.deferred.get(object)?.(resource);
  }
}

/** @throws if an object has no name yet: it is what everything else knows the object by */
function refuseDeferredNames(rendered: readonly RenderedObject[], registry: TokenRegistry): void {
  for (const { construct, manifest } of rendered) {
    if (registry.has(manifest.id.name)) {
      throw new Error(
        `${construct.node.path}: metadata.name must be known at synthesis, because references and checks follow from it. Give a string, for example from pulumi.Config.`,
      );
    }
  }
}

function childOf(parent: IConstruct | undefined, id: string): IConstruct | undefined {
  return parent?.node.tryFindChild(id);
}

function isChartClass(program: unknown): program is ChartClass<never> {
  return (
    typeof program === 'function' && typeof (program.prototype as Partial<Chart> | undefined)?.toJson === 'function'
  );
}

function objectOf(construct: IConstruct): ApiObject {
  if (ApiObject.isApiObject(construct)) {
    return construct;
  }
  const { resource } = construct as { readonly resource?: unknown };
  if (ApiObject.isApiObject(resource)) {
    return resource;
  }
  const objects = construct.node.findAll().filter((found) => ApiObject.isApiObject(found));
  const [only] = objects;
  if (only === undefined || objects.length > 1) {
    const paths = objects.slice(0, 5).map(({ node }) => node.path);
    throw new Error(
      `${construct.node.path} has ${objects.length} objects. Name one of them${paths.length === 0 ? '' : `: ${paths.join(', ')}`}.`,
    );
  }
  return only;
}

interface RunProps {
  readonly name: string;
  readonly registry: TokenRegistry;
  readonly objects: readonly StackObject[];
  readonly installs: readonly HelmInstall[];
  readonly optionsOf: (construct: IConstruct) => ObjectOptions;
  readonly announce: (construct: ApiObject, resource: Promise<ObjectResource>) => void;
}

/** The way of the objects from the app to the engine. */
class StackRun {
  /** The charts that were registered. */
  readonly installed: pulumi.Resource[] = [];
  private readonly values = new Map<pulumi.Output<unknown>, Settled>();
  private readonly edges: Edges;
  private readonly registration: Registration;
  private readonly promises = new Map<ApiObject, Promise<ObjectResource>>();
  private readonly waiting = new Map<ApiObject, (resource: Promise<ObjectResource>) => void>();
  private readonly announced = new Set<ApiObject>();

  constructor(
    private readonly stack: GantryStack,
    private readonly props: RunProps,
  ) {
    this.edges = edgesOf(
      props.objects,
      props.installs.map(({ construct }) => construct),
    );
    this.registration = {
      parent: stack,
      registry: props.registry,
      version: providerVersion(),
      nameOf: (path) => (path === props.name || path.startsWith(`${props.name}/`) ? path : `${props.name}/${path}`),
    };
  }

  async done(): Promise<Report> {
    const engine = new EngineHold();
    try {
      const report = await this.run();
      engine.release();
      return report;
    } catch (error) {
      // Whatever waits for an object of this stack ends with it.
      for (const { construct } of this.props.objects.filter((object) => !this.announced.has(object.construct))) {
        const failed = Promise.reject<ObjectResource>(error instanceof Error ? error : new Error(String(error)));
        failed.catch(() => undefined);
        this.announce(construct, failed);
      }
      engine.fail(error);
      throw error;
    }
  }

  private async run(): Promise<Report> {
    const { objects, installs } = this.props;
    const late = objects.filter((object) => this.isLate(object));
    const isLate = new Set(late);
    const early = objects.filter((object) => !isLate.has(object));
    const laters = new Map(late.map((object) => [object, later<ObjectResource>()] as const));
    for (const [{ construct }, { promise }] of laters) {
      this.announce(construct, promise);
    }
    await Promise.all(early.map((object) => this.settleAll(object)));
    let report = this.check();
    await failOnErrors(report, this.stack, this.registration.nameOf, objects);
    const releases = installs.map((install) => this.install(install));
    for (const object of early) {
      this.announce(object.construct, Promise.resolve(this.register(object, releases)));
    }
    await this.registerLate(laters, releases, (next) => (report = next));
    await logNotices(report, this.stack, this.promises, objects);
    return report;
  }

  /** Objects that carry outputs of a stack: whenever some have their values, these are checked together and registered. */
  private async registerLate(
    laters: ReadonlyMap<StackObject, Later<ObjectResource>>,
    releases: readonly Release[],
    onReport: (report: Report) => void,
  ): Promise<void> {
    let ready: StackObject[] = [];
    let flush: Promise<void> | undefined;
    const registerReady = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      const batch = ready;
      ready = [];
      flush = undefined;
      const report = this.check();
      const paths = new Set(batch.map(({ construct }) => construct.node.path));
      const ofBatch = { ...report, findings: report.findings.filter(({ construct = '' }) => paths.has(construct)) };
      await failOnErrors(ofBatch, this.stack, this.registration.nameOf, this.props.objects);
      onReport(report);
      for (const object of batch) {
        laters.get(object)?.resolve(this.register(object, releases));
      }
    };
    await Promise.all(
      [...laters].map(async ([object, { reject }]) => {
        try {
          await this.settleAll(object);
          ready.push(object);
          flush ??= registerReady();
          await flush;
        } catch (error) {
          reject(error);
          throw error;
        }
      }),
    );
  }

  private isLate({ manifest }: StackObject): boolean {
    return this.props.registry.outputsIn(manifest.object).some(isOfAStack);
  }

  private async settleAll({ construct, manifest }: StackObject): Promise<void> {
    await Promise.all(
      this.props.registry.outputsIn(manifest.object).map(async (output) => {
        if (!this.values.has(output)) {
          this.values.set(output, await settle(output, construct.node.path));
        }
      }),
    );
  }

  private check(): Report {
    return checkObjects(this.props.objects, this.props.registry, this.values);
  }

  private install(install: HelmInstall): Release {
    const { construct } = install;
    const options = this.props.optionsOf(construct);
    const resource = registerRelease(install, options, this.targetsOf(construct), this.registration);
    this.installed.push(resource);
    return { resource, after: this.edges.get(construct) ?? new Set() };
  }

  private register(object: StackObject, releases: readonly Release[]): ObjectResource {
    const { construct } = object;
    const dependsOn = [...this.targetsOf(construct), ...afterReleases(object, releases)];
    return registerObject(object, this.props.optionsOf(construct), dependsOn, this.registration);
  }

  private targetsOf(construct: IConstruct): readonly Promise<pulumi.Resource>[] {
    return [...(this.edges.get(construct) ?? [])].map((target) => this.promises.get(target) ?? this.promised(target));
  }

  /** Objects are registered in the order of the tree, so that a dependency may come later. */
  private promised(target: ApiObject): Promise<ObjectResource> {
    const { promise, resolve } = later<ObjectResource>();
    this.promises.set(target, promise);
    this.waiting.set(target, resolve);
    return promise;
  }

  private announce(object: ApiObject, resource: Promise<ObjectResource>): void {
    this.waiting.get(object)?.(resource);
    this.announced.add(object);
    this.promises.set(object, resource);
    this.props.announce(object, resource);
  }
}

/** A chart, and the objects that it waits for. */
interface Release {
  readonly resource: pulumi.Resource;
  readonly after: ReadonlySet<ApiObject>;
}

/** Custom resources wait for the charts that bring their definitions, unless a chart waits for them. */
function afterReleases({ construct, manifest }: StackObject, releases: readonly Release[]): readonly pulumi.Resource[] {
  const { apiVersion, kind } = manifest.id;
  return findKind(apiVersion, kind)?.builtIn === true
    ? []
    : releases.filter(({ after }) => !after.has(construct)).map(({ resource }) => resource);
}

interface Later<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

function later<T>(): Later<T> {
  let resolve: (value: T | Promise<T>) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
