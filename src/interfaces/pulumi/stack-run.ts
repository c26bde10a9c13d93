/**
 * The way of a stack's objects from its app to the engine.
 *
 * 1. Settle: wait for the values of Outputs, except those that come from objects of a stack: of this one, which would wait for itself, or of
 *    another one, which may wait for this one. Where an Output hides that, `stall-watch.ts` ends the wait.
 * 2. Check: rules judge the objects with the values that are known. An error ends the program before anything is registered.
 * 3. Register: each object with its dependencies. Objects that carry outputs of a stack follow when these have values, each batch checked
 *    before it is registered.
 */
import * as pulumi from '@pulumi/pulumi';
import { type ApiObject } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { findKind } from '../../facts/api/kinds';
import { type Report } from '../../checks/report/report';
import { type Edges, edgesOf } from './edges';
import { EngineHold } from './engine-hold';
import { type HelmInstall, registerRelease } from './helm-release';
import { failed, type Later, later } from './later';
import { failOnErrors, logNotices } from './log-findings';
import { checkObjects, type StackObject } from './object-check';
import { type ObjectResource, providerVersion, registerObject, type Registration } from './object-resource';
import { isOfAStack, settle, type Settled } from './outputs';
import { type ObjectOptions } from './resource-options';
import { StallWatch } from './stall-watch';
import { type TokenRegistry } from './tokens';

export interface RunProps {
  readonly name: string;
  readonly registry: TokenRegistry;
  readonly objects: readonly StackObject[];
  readonly installs: readonly HelmInstall[];
  readonly optionsOf: (construct: IConstruct) => ObjectOptions;
  readonly announce: (construct: ApiObject, resource: Promise<ObjectResource>) => void;
  /** Whether the program uses what the cluster writes into the object. */
  readonly isAskedFor: (construct: ApiObject) => boolean;
}

export class StackRun {
  /** The charts that were registered. */
  readonly installed: pulumi.Resource[] = [];
  private readonly values = new Map<pulumi.Output<unknown>, Settled>();
  private readonly edges: Edges;
  private readonly registration: Registration;
  private readonly promises = new Map<ApiObject, Promise<ObjectResource>>();
  private readonly waiting = new Map<ApiObject, Later<ObjectResource>>();
  private readonly announced = new Set<ApiObject>();
  private readonly laters = new Map<StackObject, Later<ObjectResource>>();
  private readonly watch = StallWatch.ofDeployment();

  constructor(
    private readonly stack: pulumi.ComponentResource,
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

  /** Resolves with the report of the checks when each object was given to the engine. */
  async done(): Promise<Report> {
    const engine = new EngineHold();
    try {
      const report = await this.run();
      engine.release();
      return report;
    } catch (error) {
      // Whatever waits for an object of this stack ends with it.
      for (const { reject } of this.laters.values()) {
        reject(error);
      }
      for (const { construct } of this.props.objects.filter((object) => !this.announced.has(object.construct))) {
        this.announce(construct, failed(error));
      }
      engine.fail(error);
      throw error;
    }
  }

  private async run(): Promise<Report> {
    const { objects, installs } = this.props;
    const { early, unsettled } = await this.settleEarly(this.postpone(objects.filter((object) => this.isLate(object))));
    this.postpone(unsettled);
    let report = this.check();
    await failOnErrors(report, this.stack, this.registration.nameOf, objects);
    const releases = installs.map((install) => this.install(install));
    for (const object of early) {
      this.announce(object.construct, Promise.resolve(this.register(object, releases)));
    }
    await this.registerLate(releases, (next) => (report = next));
    await logNotices(report, this.stack, this.promises, objects);
    return report;
  }

  /** From here on, others may wait for these objects. @returns the objects that are not postponed */
  private postpone(objects: readonly StackObject[]): readonly StackObject[] {
    for (const object of objects) {
      const resource = later<ObjectResource>();
      this.laters.set(object, resource);
      this.announce(object.construct, resource.promise);
    }
    return this.props.objects.filter((object) => !this.laters.has(object));
  }

  /** The objects that have their values, and those for whose values it makes no sense to wait first. */
  private async settleEarly(
    objects: readonly StackObject[],
  ): Promise<{ readonly early: readonly StackObject[]; readonly unsettled: readonly StackObject[] }> {
    const unsettled = new Set(objects);
    const settling = objects.map(async (object) => {
      await this.settleAll(object);
      unsettled.delete(object);
    });
    const isSettled = (object: StackObject): boolean => !unsettled.has(object);
    await this.watched(settling, unsettled, () =>
      objects.some((object) => isSettled(object) && this.props.isAskedFor(object.construct)),
    );
    return { early: objects.filter(isSettled), unsettled: [...unsettled] };
  }

  /** Objects that carry outputs of a stack: whenever some have their values, these are checked together and registered. */
  private async registerLate(releases: readonly Release[], onReport: (report: Report) => void): Promise<void> {
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
        this.laters.get(object)?.resolve(this.register(object, releases));
      }
    };
    const unsettled = new Set(this.laters.keys());
    const registering = [...unsettled].map(async (object) => {
      await this.settleAll(object);
      unsettled.delete(object);
      ready.push(object);
      flush ??= registerReady();
      await flush;
    });
    await this.watched(registering, unsettled, () => false);
  }

  /**
   * Waits for what settles objects, as long as it makes sense to wait.
   *
   * @throws if nothing will settle them
   */
  private async watched(
    settling: readonly Promise<void>[],
    unsettled: ReadonlySet<StackObject>,
    canGoOn: () => boolean,
  ): Promise<void> {
    const stop = later<unknown>();
    await this.watch.during(Promise.race([Promise.all(settling), stop.promise]), {
      goOn: () => {
        const goesOn = canGoOn();
        if (goesOn) {
          stop.resolve(undefined);
        }
        return goesOn;
      },
      fail: () => stop.reject(neverSettled(unsettled)),
    });
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
    const resource = later<ObjectResource>();
    this.promises.set(target, resource.promise);
    this.waiting.set(target, resource);
    return resource.promise;
  }

  private announce(object: ApiObject, resource: Promise<ObjectResource>): void {
    this.waiting.get(object)?.resolve(resource);
    this.announced.add(object);
    this.promises.set(object, resource);
    this.props.announce(object, resource);
  }
}

function neverSettled(unsettled: ReadonlySet<StackObject>): Error {
  const paths = [...unsettled].map(({ construct }) => construct.node.path).join(', ');
  return new pulumi.RunError(
    `${paths}: waits for an Output that gets no value: either it is never resolved, or it comes from an object that waits for this one. Resolve it, or remove one of the two references.`,
  );
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
