/**
 * Finds the schema of an object, or explains why there is none: a version that is not served, a misspelled kind, a file that is not an API object.
 */
import { isDeepStrictEqual } from 'node:util';
import { titleOf } from '../../facts/upstream';
import { allOf, oneOf } from '../../facts/words';
import { findKind, isBuiltInGroup, versionsOfKind, allKinds } from '../../facts/api/kinds';
import { findRemovedKind } from '../../facts/api/removed-kinds';
import { type JsonObject, type KindInfo, type KubernetesMinor, type Schema } from '../../facts/api/schema';
import { loadSchema } from '../../facts/api/schemas';
import { OpenApiSchemas } from '../cluster/openapi-schemas';
import { type TargetCluster } from '../cluster/target-cluster';
import { kindsOfCrd, UnreadableCrd, type DefinedKind } from './crd';
import { type ServedKind } from '../../manifests/snapshot/cluster-snapshot';
import { nearestName } from '../../facts/spelling';

/** Groups of configuration files: they look like API objects, but no server takes them. */
const FILE_GROUPS: ReadonlyMap<string, string> = new Map([
  ['apiserver.config.k8s.io', 'a configuration file of the API server'],
  ['apiserver.k8s.io', 'a configuration file of the API server'],
  ['audit.k8s.io', 'a configuration file of the API server'],
  ['config.jobset.x-k8s.io', "a configuration file of JobSet's controller"],
  ['config.kueue.x-k8s.io', "a configuration file of Kueue's controller"],
  ['config.trainer.kubeflow.org', "a configuration file of Trainer's controller"],
  ['kind.x-k8s.io', 'a configuration file of kind'],
  ['kubeadm.k8s.io', 'a configuration file of kubeadm'],
  ['kubelet.config.k8s.io', 'a configuration file of the kubelet'],
  ['kubeproxy.config.k8s.io', 'a configuration file of kube-proxy'],
  ['kubescheduler.config.k8s.io', 'a configuration file of kube-scheduler'],
  ['kustomize.config.k8s.io', 'a configuration file of kustomize'],
  ['pod-security.admission.config.k8s.io', 'a configuration file of the API server'],
  ['skaffold', 'a configuration file of Skaffold'],
]);

/** Kinds of Istio, which are not covered here, and where they are: its own name is no API group, and is often written as one. */
const ISTIO_KINDS: Readonly<Record<string, string>> = {
  AuthorizationPolicy: 'security.istio.io/v1',
  DestinationRule: 'networking.istio.io/v1',
  EnvoyFilter: 'networking.istio.io/v1alpha3',
  Gateway: 'networking.istio.io/v1',
  PeerAuthentication: 'security.istio.io/v1',
  RequestAuthentication: 'security.istio.io/v1',
  ServiceEntry: 'networking.istio.io/v1',
  Sidecar: 'networking.istio.io/v1',
  Telemetry: 'telemetry.istio.io/v1',
  VirtualService: 'networking.istio.io/v1',
};

/** Resources of the API that are requests rather than objects; they have a kind and no collection. */
const REQUEST_KINDS: ReadonlySet<string> = new Set([
  'Binding',
  'DeleteOptions',
  'Eviction',
  'Scale',
  'Status',
  'TokenRequest',
]);

/** What the API server answers to a question about its API. */
const ANSWER_KINDS: ReadonlySet<string> = new Set(['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions']);

/** Where the scale subresource of a covered kind finds the replicas; whatever a schema allows there, the server wants a count. */
export const SCALE_PATHS: Readonly<Record<string, string>> = {
  'disaggregatedset.x-k8s.io/DisaggregatedSetRoleScaler': '/spec/replicas',
  'karpenter.sh/NodePool': '/spec/replicas',
  'kubeflow.org/JAXJob': '/spec/jaxReplicaSpecs/Worker/replicas',
  'kubeflow.org/PaddleJob': '/spec/paddleReplicaSpecs/Worker/replicas',
  'kubeflow.org/PyTorchJob': '/spec/pytorchReplicaSpecs/Worker/replicas',
  'leaderworkerset.x-k8s.io/LeaderWorkerSet': '/spec/replicas',
  'mindcluster.huawei.com/InstanceSet': '/spec/replicas',
  'monitoring.coreos.com/Alertmanager': '/spec/replicas',
  'monitoring.coreos.com/Prometheus': '/spec/shards',
  'monitoring.coreos.com/PrometheusAgent': '/spec/shards',
};

export type Known = { readonly info: KindInfo; readonly schema: Schema; readonly scale?: string };
export type Unknown =
  | {
      readonly why: string;
      readonly nearest?: string;
      /** A CustomResourceDefinition would make it known. */
      readonly needsDefinition?: true;
    }
  | {
      readonly notServed: string;
      readonly expected?: string;
      readonly fix: string;
      /** The version to write, if its schema is bundled. */
      readonly instead?: KindInfo;
    }
  | { readonly noSuchKind: string; readonly expected?: string; readonly fix: string }
  | { readonly noSuchGroup: string; readonly expected: string; readonly fix: string };

/** As many definitions of one kind are told apart. */
const MOST_ALTERNATIVES = 8;

export class KnownKinds {
  private readonly defined = new Map<string, DefinedKind>();
  /** Definitions of one kind among the objects, the last first: folders of versions or of channels are not all for one cluster. */
  private readonly alternatives = new Map<string, readonly DefinedKind[]>();
  private readonly found = new Map<string, Known | Unknown>();
  private readonly openApi?: OpenApiSchemas;

  /**
   * @param crds definitions that the caller passes
   * @param definitions definitions among the objects; an unreadable one is skipped, since its own findings report what is wrong
   * @param cluster whose versions and schemas count before the bundled ones
   * @throws UnreadableCrd if one of `crds` cannot be read as a definition
   */
  constructor(
    private readonly kubernetes: KubernetesMinor,
    crds: readonly JsonObject[],
    definitions: readonly JsonObject[],
    private readonly cluster?: TargetCluster,
  ) {
    this.openApi = cluster === undefined ? undefined : new OpenApiSchemas(cluster.snapshot.schemas);
    for (const crd of definitions) {
      this.define(crd, true);
    }
    for (const crd of crds) {
      this.define(crd, false);
    }
  }

  private define(crd: JsonObject, tolerant: boolean): void {
    try {
      for (const kind of kindsOfCrd(crd)) {
        const key = `${kind.info.apiVersion}/${kind.info.kind}`;
        const before = (tolerant ? (this.alternatives.get(key) ?? []) : []).filter(
          (other) => !isDeepStrictEqual(other, kind),
        );
        const all = kind.info.served || before.length === 0 ? [kind, ...before] : [...before, kind];
        this.alternatives.set(key, all.slice(0, MOST_ALTERNATIVES));
        this.defined.set(key, all[0]);
      }
    } catch (error) {
      if (!tolerant || !(error instanceof UnreadableCrd)) {
        throw error;
      }
    }
  }

  lookUp(apiVersion: string, kind: string): Known | Unknown {
    const key = `${apiVersion}/${kind}`;
    let answer = this.found.get(key);
    if (answer === undefined) {
      answer = this.find(apiVersion, kind);
      this.found.set(key, answer);
    }
    return answer;
  }

  /** What other definitions of a kind among the objects say about it; empty where there is one definition, as nearly always. */
  *othersOf(apiVersion: string, kind: string): Iterable<Known> {
    const [, ...others] = this.alternatives.get(`${apiVersion}/${kind}`) ?? [];
    for (const { info, schema, scale } of others) {
      if (info.served) {
        yield { info, schema, ...(scale === undefined ? {} : { scale }) };
      }
    }
  }

  private find(apiVersion: string, kind: string): Known | Unknown {
    const defined = this.defined.get(`${apiVersion}/${kind}`);
    if (defined === undefined && this.cluster !== undefined) {
      const answer = this.inCluster(this.cluster, apiVersion, kind);
      if (answer !== undefined) {
        return answer;
      }
    }
    const info = defined?.info ?? findKind(apiVersion, kind);
    if (info !== undefined && this.isServed(info)) {
      const scale = defined === undefined ? SCALE_PATHS[`${info.group}/${info.kind}`] : defined.scale;
      return {
        info,
        schema: defined?.schema ?? loadSchema(info, this.kubernetes),
        ...(scale === undefined ? {} : { scale }),
      };
    }
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const versions = this.versions(group, kind);
    if (versions.length > 0) {
      return this.notServed(apiVersion, kind, versions);
    }
    return this.removed(apiVersion, kind) ?? this.unknownKind(apiVersion, group, kind);
  }

  private removed(apiVersion: string, kind: string): Unknown | undefined {
    const removed = findRemovedKind(apiVersion, kind);
    if (removed === undefined) {
      return undefined;
    }
    const { removedIn, successor, instead = '' } = removed;
    return {
      notServed: `Kubernetes ${this.kubernetes} does not serve ${kind} in apiVersion "${apiVersion}", which was removed in ${removedIn}`,
      ...(successor === undefined ? {} : { expected: `apiVersion ${successor}` }),
      fix: successor === undefined ? instead : `Set apiVersion: ${successor}.`,
    };
  }

  /** What the cluster states about a kind that no definition describes; `undefined` where it says nothing. */
  private inCluster(cluster: TargetCluster, apiVersion: string, kind: string): Known | Unknown | undefined {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const versions = cluster.versionsOf(group, kind);
    if (versions === undefined) {
      return undefined;
    }
    const served = cluster.kindOf(apiVersion, kind);
    const info = findKind(apiVersion, kind);
    if (served !== undefined) {
      const schema = this.openApi?.of(apiVersion, kind);
      return schema === undefined
        ? undefined
        : { info: { ...(info ?? infoOf(served, cluster.name)), minors: undefined, served: true }, schema };
    }
    if (versions.length > 0) {
      return {
        notServed: `the cluster ${cluster.name} does not serve ${kind} in apiVersion "${apiVersion}"`,
        expected: `apiVersion ${oneOf(versions)}`,
        fix: `Set apiVersion: ${versions[0]}.`,
      };
    }
    if (info === undefined) {
      return undefined;
    }
    return {
      noSuchKind: `the cluster ${cluster.name} does not serve ${kind} in apiVersion "${apiVersion}"`,
      fix: info.builtIn
        ? `Remove the object, or upgrade the cluster (${cluster.snapshot.serverVersion}).`
        : `Install the CustomResourceDefinition of ${kind}, or add it to the manifests.`,
    };
  }

  private isServed(info: KindInfo): boolean {
    return info.minors === undefined ? info.served : info.minors.includes(this.kubernetes);
  }

  private versions(group: string, kind: string): readonly KindInfo[] {
    const defined = [...this.defined.values()]
      .map(({ info }) => info)
      .filter((info) => info.group === group && info.kind === kind);
    return defined.length > 0 ? defined : versionsOfKind(group, kind);
  }

  /** Of the versions of the first group among these, the one to write. */
  private preferred(served: readonly KindInfo[]): KindInfo | undefined {
    const versions = served.filter(({ group }) => group === served[0]?.group);
    return versions.find((info) => info.storage) ?? versions.at(-1);
  }

  private notServed(apiVersion: string, kind: string, versions: readonly KindInfo[]): Unknown {
    const served = versions.filter((info) => this.isServed(info));
    const best = this.preferred(served);
    const own = versions.find((info) => info.apiVersion === apiVersion);
    const builtIn = versions.some((info) => info.builtIn);
    const minors = own?.minors ?? [];
    const last = minors[minors.length - 1];
    const who = builtIn ? `Kubernetes ${this.kubernetes}` : titleOf(versions[0]?.source ?? 'the CRD');
    const when =
      last === undefined
        ? ''
        : `; it is served in Kubernetes ${minors.length > 2 ? `${minors[0] ?? ''} to ${last}` : allOf(minors)}`;
    const otherTarget = `check against Kubernetes ${last ?? ''} with --k8s ${last ?? ''} (in an app, set Checks.of(app).target)`;
    return {
      ...(best === undefined || this.defined.has(`${best.apiVersion}/${kind}`) ? {} : { instead: best }),
      notServed: `${who} does not serve ${kind} in apiVersion "${apiVersion}"${when}`,
      expected:
        served.length > 0 ? `apiVersion ${oneOf(served.map((info) => info.apiVersion))}` : `a kind that ${who} serves`,
      fix:
        best === undefined
          ? `Remove the object${last === undefined ? '' : `, or ${otherTarget}`}.`
          : `Set apiVersion: ${best.apiVersion}${last === undefined ? '' : `, or ${otherTarget}`}.`,
    };
  }

  private unknownKind(apiVersion: string, group: string, kind: string): Unknown {
    const file = FILE_GROUPS.get(group);
    if (file !== undefined) {
      return { why: `${kind} is ${file}, not an API object` };
    }
    if (apiVersion === 'v1' && kind === 'Config') {
      return { why: 'a kubeconfig is a client configuration file, not an API object' };
    }
    const kinds = this.kindsOfGroup(group);
    if (kinds.length === 0) {
      return this.unknownGroup(apiVersion, group, kind);
    }
    const meant = nearestName(kind, kinds);
    if (!isBuiltInGroup(group)) {
      return {
        why: `no schema for kind ${kind} of ${group}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`,
        needsDefinition: true,
        ...(meant === undefined ? {} : { nearest: meant }),
      };
    }
    if (REQUEST_KINDS.has(kind)) {
      return { why: `${kind} is an API request, not an object` };
    }
    if (ANSWER_KINDS.has(kind)) {
      return { why: `${kind} describes the API of a server, and is not an object` };
    }
    const elsewhere = this.elsewhere(kind);
    return {
      noSuchKind: `no kind "${kind}" in apiVersion "${apiVersion}"`,
      ...(meant !== undefined
        ? { expected: `kind ${meant}` }
        : elsewhere.length === 0
          ? {}
          : { expected: `apiVersion ${oneOf(elsewhere)}` }),
      fix:
        meant !== undefined
          ? `Set kind: ${meant}.`
          : elsewhere.length === 0
            ? `Set kind to a kind in apiVersion "${apiVersion}", or set apiVersion to the group and version of the kind.`
            : elsewhere.length === 1
              ? `Set apiVersion: ${elsewhere[0]}.`
              : `Set apiVersion to ${oneOf(elsewhere)}.`,
    };
  }

  /** The preferred version of each group that has a kind of this name. */
  private elsewhere(kind: string): readonly string[] {
    const named = allKinds().filter((info) => info.kind === kind && this.isServed(info));
    return [...new Set(named.map(({ group }) => group))].flatMap((group) => {
      const version = this.preferred(named.filter((info) => info.group === group))?.apiVersion;
      return version === undefined ? [] : [version];
    });
  }

  /** A group that is the name of a project, while its kinds are in groups below that name, is a mistake; of others nothing is known. */
  private unknownGroup(apiVersion: string, group: string, kind: string): Unknown {
    const below = allKinds().find(
      (info) => info.kind === kind && info.group.endsWith(`.${group}`) && this.isServed(info),
    )?.apiVersion;
    const right = group === 'istio.io' && Object.hasOwn(ISTIO_KINDS, kind) ? ISTIO_KINDS[kind] : below;
    if (right === undefined) {
      return { why: `no schema for API group ${group}`, needsDefinition: true };
    }
    return {
      noSuchGroup: `no kind "${kind}" in apiVersion "${apiVersion}": ${group} is not an API group`,
      expected: `apiVersion ${right}`,
      fix: `Set apiVersion: ${right}.`,
    };
  }

  private kindsOfGroup(group: string): readonly string[] {
    const kinds = new Set<string>();
    for (const { info } of this.defined.values()) {
      if (info.group === group) {
        kinds.add(info.kind);
      }
    }
    for (const info of allKinds()) {
      if (info.group === group) {
        kinds.add(info.kind);
      }
    }
    return [...kinds].sort();
  }
}

/** A kind that only the cluster knows. */
function infoOf({ group, version, kind, plural, namespaced, status }: ServedKind, cluster: string): KindInfo {
  return {
    group,
    version,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    plural,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    builtIn: true,
    source: `cluster ${cluster}`,
    served: true,
    storage: true,
    deprecated: false,
    hasStatusSubresource: status,
  };
}
