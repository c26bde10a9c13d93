/**
 * What the live server and Gantry say about a pod in a namespace, in the same words.
 */
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { admissionViolations } from '../../../src/checks/server/admission/admit-pod';
import { contentsOf } from '../../../src/checks/server/admission/cluster-contents';
import { idOf } from '../../../src/manifests/identity';
import { type Manifest } from '../../../src/manifests/manifest';
import { asObject } from '../../../src/manifests/read';
import { askGantry } from '../agreement/gantry-verdict';

/** The plugin that rejected a pod, by what its message begins with or says. */
const REASONS: readonly (readonly [string, RegExp])[] = [
  ['PodSecurity', /violates PodSecurity/],
  ['ResourceQuota', /exceeded quota|failed quota/],
  ['LimitRanger', /(minimum|maximum) .* usage per|max limit to request ratio/],
  ['RuntimeClass', /Overhead|runtimeClass\.scheduling/],
  ['Priority', /priority admission controller|PriorityClass/],
];

/** `accepted`, or the plugin; `Validation` for what the server's own code rejects. */
export function serverSays(status: number, message: string): string {
  if (status < 300) {
    return 'accepted';
  }
  if (status === 422) {
    return 'Validation';
  }
  return REASONS.find(([, pattern]) => pattern.test(message))?.[0] ?? `${status} ${message}`;
}

export function asManifest(object: JsonObject): Manifest {
  return { id: idOf(object), object, origin: {} };
}

/** The plugins for which Gantry would reject the pod, sorted; none where it admits it. */
export function gantrySays(
  pod: JsonObject,
  objects: readonly JsonObject[],
  namespace: string,
  kubernetes: KubernetesMinor,
): readonly string[] {
  const contents = contentsOf(objects.map(asManifest), new Set(['', namespace]));
  const podLike = { metadata: asObject(pod.metadata), spec: asObject(pod.spec) };
  const plugins = [...admissionViolations(podLike, namespace, contents, kubernetes)].map(({ plugin }) => plugin);
  // What the pod itself is rejected for, wherever it is created.
  const alone = askGantry(pod, kubernetes).verdict === 'refused' ? (['Validation'] as const) : [];
  return [...new Set([...plugins, ...alone])].sort();
}

/**
 * True where both say the same. The server stops at the first plugin, and looks at the pod itself after the plugins that change it.
 */
export function agree(server: string, gantry: readonly string[]): boolean {
  return server === 'accepted' ? gantry.length === 0 : gantry.includes(server);
}
