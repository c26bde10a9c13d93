/**
 * The shape check: holds one object against what the API server's decoder, its schema of the kind and the CEL rules of the CRD demand.
 *
 * The steps are the server's: is there such a kind and version, does the object decode strictly, do its values hold (after defaults,
 * for custom resources), and then, where nothing before forbids it, do the CEL rules hold. Other than the server, which stops at the
 * first step that fails, the check goes on and says everything that it can know.
 */
import { createRequire } from 'node:module';
import { findKind, versionsOfKind } from '../../facts/api/kinds';
import { loadSchema } from '../../facts/api/schemas';
import { type JsonObject, type KindInfo, type KubernetesMinor, type Schema } from '../../facts/api/schema';
import { type SpecContent } from '../contents';
import type * as CelModuleTypes from '../cel/check-rules';
import type * as TransitionModuleTypes from '../cel/transition-rules';
import { type BrokenTransition } from '../cel/transition-rules';
import { type Manifest } from '../../manifests/manifest';
import { COMPOSE_FILE } from '../../manifests/documents/compose-file';
import { RUNNER_FILE } from '../../manifests/documents/host-document';
import { nodeFileOwner } from '../../manifests/documents/node-file';
import { tokensOf, valueAt } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { unguarded } from '../../manifests/values/unknown';
import { type RuleFacts } from '../rules/rule';
import { type TargetCluster } from '../cluster/target-cluster';
import { checkMetadata } from '../server/metadata';
import { metadataRuleFacts } from '../server/metadata-rules';
import { checkCustomResource, checkMetadataOfCustomResource } from './custom-resource';
import { KnownKinds, type Known, type Unknown } from './known-kinds';
import { isOptionalField } from './optional-fields';
import { toVersion } from './renamed-fields';
import { hasRules, meetsRule, nodeOf, rulesOf } from './schema-node';
import { shapeRules } from './shape-rules';
import { TypedDecoding } from './typed-decoding';
import { THE_FIELD, ViolationList, type ShapeViolation } from './violation-list';

export { UnreadableCrd } from './crd';
export type { ShapeViolation } from './violation-list';

export interface ShapeCheckerOptions {
  readonly kubernetes: KubernetesMinor;
  /**
   * CustomResourceDefinition objects. A kind that one of them defines is checked against it, also where Gantry knows another schema.
   * @default - none
   */
  readonly crds?: readonly JsonObject[];
  /**
   * Definitions that are checked themselves. They count like `crds`, except that an unreadable one is skipped here: its mistakes
   * are reported when it is checked.
   * @default - none
   */
  readonly definitions?: readonly JsonObject[];
  /**
   * The cluster whose versions and schemas count before the bundled ones.
   * @default - none
   */
  readonly cluster?: TargetCluster;
}

export interface ShapeResult {
  readonly violations: readonly ShapeViolation[];
  /** Why the object could not be checked, where it could not. */
  readonly notChecked?: string;
  /** A CustomResourceDefinition of its kind would let it be checked. */
  readonly needsDefinition?: boolean;
  /** The object as the server would store it; for custom resources that decode. */
  readonly defaulted?: JsonObject;
  /** CEL rules that read values which are not known yet. Absent where there are none. */
  readonly notJudged?: readonly string[];
}

/** Everything that this check can say, for docs and SARIF: the shape rules, the CEL tier, and what is demanded of metadata. */
export const shapeRuleFacts: readonly RuleFacts[] = [...Object.values(shapeRules), ...metadataRuleFacts];

/** Errors after which the server does not evaluate CEL rules (apiextensions, `hasBlockingErr`). */
const BLOCKING: ReadonlySet<string> = new Set([
  shapeRules.unknownField.id,
  shapeRules.required.id,
  shapeRules.type.id,
  shapeRules.nullItem.id,
  shapeRules.enum.id,
  shapeRules.size.id,
  shapeRules.combination.id,
]);

const MOST_REPLICAS = 2147483647;

type CelModule = typeof CelModuleTypes;
type TransitionModule = typeof TransitionModuleTypes;

/** The CEL engine is loaded with the first rule that is met. */
const load = createRequire(__filename);

/** Beta versions that came when those were still on by default. */
const EARLY_BETA: ReadonlySet<string> = new Set(['flowcontrol.apiserver.k8s.io/v1beta3']);

function isOffByDefault({ apiVersion, version }: KindInfo): boolean {
  return /^v\d+(alpha|beta)\d+$/.test(version) && !EARLY_BETA.has(apiVersion);
}

/** The files whose rules read all of them, or all that is of use here, as their own readers do: nothing is left for a schema. */
const HAVE_NO_SCHEMA: ReadonlySet<string> = new Set([COMPOSE_FILE, RUNNER_FILE]);

export class ShapeChecker {
  private readonly kinds: KnownKinds;
  private readonly minor: number;
  private readonly kubernetes: KubernetesMinor;

  /** @throws UnreadableCrd where one of `crds` cannot be read as a definition */
  constructor(options: ShapeCheckerOptions) {
    this.kinds = new KnownKinds(options.kubernetes, options.crds ?? [], options.definitions ?? [], options.cluster);
    this.kubernetes = options.kubernetes;
    this.minor = Number(options.kubernetes.slice(2));
  }

  /** @param content the content of the spec, if what is found in it may be taken for equal specs: then the result has no `defaulted` */
  check(manifest: Manifest, content?: SpecContent): ShapeResult {
    const object = unguarded(manifest.object);
    const owner = nodeFileOwner(manifest);
    if (owner !== undefined) {
      return HAVE_NO_SCHEMA.has(manifest.id.kind)
        ? { violations: [] }
        : {
            violations: [],
            notChecked: `a configuration file of ${owner}, not an API object: it has rules, but no schema`,
          };
    }
    const list = new ViolationList();
    const { apiVersion, kind } = object;
    if (apiVersion === undefined && kind === undefined) {
      return { violations: [], notChecked: 'no apiVersion and no kind: not an API object' };
    }
    if (typeof apiVersion !== 'string' || apiVersion === '' || typeof kind !== 'string' || kind === '') {
      for (const [name, value] of [
        ['apiVersion', apiVersion],
        ['kind', kind],
      ] as const) {
        if (typeof value === 'string' && value !== '') {
          continue;
        }
        list.add(
          shapeRules.identity,
          {
            message: `${name} must ${value === undefined ? 'be set' : value === '' ? 'not be empty' : 'be a string'}`,
            ...(value === undefined ? {} : { found: value }),
            expected: 'a non-empty string',
          },
          name,
        );
      }
      return { violations: list.violations, notChecked: 'apiVersion and kind do not identify a kind' };
    }
    const known = this.kinds.lookUp(apiVersion, kind);
    return 'info' in known
      ? this.checkOnce(known, content, object, () => this.checkByAny(object, known, list, apiVersion, kind))
      : this.reportUnknown(known, list, manifest);
  }

  /** What `judge` says; an object of nothing but metadata and a spec that was valid is judged by its metadata. */
  private checkOnce(
    known: Known,
    content: SpecContent | undefined,
    object: JsonObject,
    judge: () => ShapeResult,
  ): ShapeResult {
    if (content === undefined || !isOnlySpec(object) || seesMetadata(known.schema)) {
      return judge();
    }
    if (content.validIn === known.schema && this.isValidAround(object, known)) {
      return VALID;
    }
    const result = judge();
    if (result.violations.length === 0 && result.notJudged === undefined) {
      content.validIn = known.schema;
    }
    return result;
  }

  /** Whether an object is valid whose spec is. */
  private isValidAround(object: JsonObject, { info, schema }: Known): boolean {
    const list = new ViolationList();
    checkServed(object, { info, schema }, this.kubernetes, list);
    checkScope(object, info, list);
    if (info.builtIn) {
      new TypedDecoding(list, true).member(object, 'metadata', nodeOf(schema));
    } else {
      checkMetadataOfCustomResource(object, schema, list, { minor: this.minor });
    }
    checkMetadata(object, info, list, { minor: this.minor });
    return list.violations.length === 0;
  }

  /** Where the set has several definitions of the kind, the object is for one of them: the one that has the least to reject. */
  private checkByAny(
    object: JsonObject,
    known: Known,
    list: ViolationList,
    apiVersion: string,
    kind: string,
  ): ShapeResult {
    let best = this.checkKnown(object, known, list);
    for (const other of best.violations.length === 0 ? [] : this.kinds.othersOf(apiVersion, kind)) {
      const result = this.checkKnown(object, other, new ViolationList());
      if (errorsIn(result) < errorsIn(best)) {
        best = result;
      }
    }
    return best;
  }

  /** The CEL rules that reject an update of a custom resource; empty where a version of it does not decode. */
  brokenTransitions(before: Manifest, after: Manifest): readonly BrokenTransition[] {
    const { apiVersion, kind } = after.id;
    const known = this.kinds.lookUp(apiVersion, kind);
    if (!('info' in known) || known.info.builtIn || before.id.apiVersion !== apiVersion || !hasRules(known.schema)) {
      return [];
    }
    const [old, now] = [this.check(before).defaulted, this.check(after).defaulted];
    const { brokenTransitions } = load('../cel/transition-rules') as TransitionModule;
    return old === undefined || now === undefined ? [] : brokenTransitions(old, now, known.schema);
  }

  private reportUnknown(unknown: Unknown, list: ViolationList, { object, id }: Manifest): ShapeResult {
    const { apiVersion, kind } = id;
    if ('why' in unknown) {
      return { violations: [], notChecked: unknown.why, needsDefinition: unknown.needsDefinition === true };
    }
    if ('notServed' in unknown) {
      list.add(
        shapeRules.version,
        {
          message: unknown.notServed,
          found: apiVersion,
          expected: unknown.expected,
          fix: withChanges(unknown, object, id, this.kubernetes),
        },
        'apiVersion',
      );
      return { violations: list.violations, notChecked: 'no schema: the version is not served' };
    }
    if ('noSuchGroup' in unknown) {
      list.add(
        shapeRules.group,
        { message: unknown.noSuchGroup, found: apiVersion, expected: unknown.expected, fix: unknown.fix },
        'apiVersion',
      );
      return { violations: list.violations, notChecked: 'no schema: unknown API group' };
    }
    list.add(
      shapeRules.kind,
      {
        message: unknown.noSuchKind,
        found: kind,
        ...(unknown.expected === undefined ? {} : { expected: unknown.expected }),
        fix: unknown.fix,
      },
      'kind',
    );
    return { violations: list.violations, notChecked: 'no schema: unknown kind' };
  }

  private checkKnown(object: JsonObject, { info, schema, scale }: Known, list: ViolationList): ShapeResult {
    checkServed(object, { info, schema }, this.kubernetes, list);
    checkScope(object, info, list);
    let defaulted: JsonObject | undefined;
    let notJudged: readonly string[] = [];
    if (info.builtIn) {
      const kind = info.group === '' ? info.kind : `${info.group}/${info.kind}`;
      new TypedDecoding(list, true, (path) => isOptionalField(kind, path, this.minor)).root(
        object,
        nodeOf(schema),
        info.hasStatusSubresource,
      );
    } else {
      defaulted = checkCustomResource(object, schema, info.hasStatusSubresource, list, { minor: this.minor });
      checkScale(defaulted, scale, list);
    }
    checkMetadata(object, info, list, { minor: this.minor });
    const isBlocked = list.violations.some(({ rule }) => BLOCKING.has(rule));
    if (defaulted !== undefined && !isBlocked && meetsRule(defaulted, nodeOf(schema))) {
      const { checkCelRules } = load('../cel/check-rules') as CelModule;
      notJudged = checkCelRules(defaulted, schema, list);
    }
    return {
      violations: list.violations,
      ...(defaulted === undefined ? {} : { defaulted }),
      ...(notJudged.length === 0 ? {} : { notJudged }),
    };
  }
}

const VALID: ShapeResult = { violations: [] };

const MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'spec']);

/** Whether the spec is all that the object has beside its identity. */
function isOnlySpec(object: JsonObject): boolean {
  return (
    Object.hasOwn(object, 'spec') && isObject(object.metadata) && Object.keys(object).every((name) => MEMBERS.has(name))
  );
}

const withRootRules = new WeakMap<Schema, boolean>();

/** Whether what the schema says of the spec may depend on the metadata: by a rule on the whole object, or on the metadata. */
function seesMetadata(schema: Schema): boolean {
  let sees = withRootRules.get(schema);
  if (sees === undefined) {
    const { metadata } = schema.properties ?? {};
    sees = nodeOf(schema).combines || rulesOf(schema).length > 0 || (metadata !== undefined && hasRules(metadata));
    withRootRules.set(schema, sees);
  }
  return sees;
}

function errorsIn({ violations }: ShapeResult): number {
  return violations.filter(({ severity }) => severity === 'error').length;
}

/** What to write to get to the current version: its name, and those of the fields that it calls otherwise. */
function fixOfVersion(object: JsonObject, schema: Schema, current: KindInfo, kubernetes: KubernetesMinor): string {
  return current.builtIn && current.minors?.includes(kubernetes) !== true
    ? `Set apiVersion: ${current.apiVersion}.`
    : `${toVersion(current.apiVersion, object, schema, loadSchema(current, kubernetes))}.`;
}

/** The fix of a version that is not served, with what its fields are in the version to write. */
function withChanges(
  { fix, instead }: Extract<Unknown, { notServed: string }>,
  object: JsonObject,
  { apiVersion, kind }: Manifest['id'],
  kubernetes: KubernetesMinor,
): string {
  const own = findKind(apiVersion, kind);
  const minor = own?.builtIn === true ? own.minors?.at(-1) : kubernetes;
  return own === undefined || instead === undefined || minor === undefined
    ? fix
    : fix.replace(
        `Set apiVersion: ${instead.apiVersion}`,
        toVersion(instead.apiVersion, object, loadSchema(own, minor), loadSchema(instead, kubernetes)),
      );
}

/** Whether the API server serves the version, and for how long. */
function checkServed(
  object: JsonObject,
  { info, schema }: Known,
  kubernetes: KubernetesMinor,
  list: ViolationList,
): void {
  if (info.deprecated && !(info.builtIn && isOffByDefault(info))) {
    const others = versionsOfKind(info.group, info.kind).filter(({ served, deprecated }) => served && !deprecated);
    const current = others.find(({ storage }) => storage) ?? others.at(-1);
    list.add(
      shapeRules.deprecated,
      {
        message: `${info.apiVersion} ${info.kind} is deprecated`,
        found: info.apiVersion,
        ...(current === undefined ? {} : { fix: fixOfVersion(object, schema, current, kubernetes) }),
      },
      'apiVersion',
    );
  }
  if (info.builtIn && isOffByDefault(info)) {
    const flag = `--runtime-config=${info.apiVersion}=true`;
    const onByDefault = versionsOfKind(info.group, info.kind)
      .filter((other) => !isOffByDefault(other) && other.minors?.includes(kubernetes))
      .at(-1);
    list.add(
      shapeRules.onByDefault,
      {
        message: `${info.apiVersion} ${info.kind} is served only if the API server is started with ${flag}`,
        found: info.apiVersion,
        ...(onByDefault === undefined
          ? { fix: `Start the API server with ${flag}, or remove the object.` }
          : { expected: onByDefault.apiVersion, fix: fixOfVersion(object, schema, onByDefault, kubernetes) }),
      },
      'apiVersion',
    );
  }
}

/** @param scale pointer of the replicas, where the kind has a scale subresource */
function checkScale(object: JsonObject, scale: string | undefined, list: ViolationList): void {
  const replicas = scale === undefined ? undefined : valueAt(object, scale);
  if (scale === undefined || typeof replicas !== 'number' || (replicas >= 0 && replicas <= MOST_REPLICAS)) {
    return;
  }
  // The bounds of the schema have reported the same number.
  if (list.violations.some(({ path }) => path === scale)) {
    return;
  }
  list.add(
    shapeRules.scale,
    {
      message:
        replicas < 0 ? `must be greater than or equal to 0, but is ${replicas}` : `${replicas} does not fit in 32 bits`,
      found: replicas,
      expected: 'an integer from 0 to 2147483647',
      fix: `Set ${THE_FIELD} to an integer from 0 to 2147483647.`,
    },
    ...tokensOf(scale),
  );
}

function checkScope(object: JsonObject, info: KindInfo, list: ViolationList): void {
  list.isClusterScoped = info.scope === 'Cluster';
  if (
    list.isClusterScoped &&
    isObject(object.metadata) &&
    typeof object.metadata.namespace === 'string' &&
    object.metadata.namespace !== ''
  ) {
    list.add(
      shapeRules.scope,
      {
        message: `${info.kind} is cluster-scoped, but metadata.namespace is "${object.metadata.namespace}"`,
        found: object.metadata.namespace,
      },
      'metadata',
      'namespace',
    );
  }
}
