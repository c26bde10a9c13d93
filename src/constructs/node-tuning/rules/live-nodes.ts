/**
 * What pods do to the node that they run on: the red lines, and DaemonSets of device plugins.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type RuleContext, type Violation } from '../../../checks/rule';
import { asObject, asString, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { type Manifest } from '../../../manifests/manifest';

/** What must not be done under running pods, how it is recognised, and why. */
const RED_LINES: readonly { readonly pattern: RegExp; readonly what: string; readonly why: string }[] = [
  {
    pattern: /\bsystemctl\b[^\n;&|]*\bdaemon-(?:reload|reexec)\b/,
    what: 'systemctl daemon-reload',
    why: 'it takes the GPUs away from running containers whose devices came by the hook',
  },
  {
    pattern:
      /\bsystemctl\b[^\n;&|]*\b(?:restart|try-restart|reload-or-restart|stop)\b[^\n;&|]*\b(?:kubelet|containerd|crio|docker)\b/,
    what: 'restarting kubelet or runtime',
    why: 'devices are counted anew, and pods that hold them may be refused afterwards',
  },
  {
    pattern: /\bnvidia-smi\b[^\n;&|]*\s(?:-mig|--multi-instance-gpu)\b/,
    what: 'changing MIG mode',
    why: 'every process on the GPU must end first; the MIG manager sees to that',
  },
  {
    pattern: /\bnvidia-smi\b[^\n;&|]*\s(?:-r|--gpu-reset)(?:\s|$)/,
    what: 'resetting a GPU',
    why: 'every process on the GPU is lost',
  },
  {
    pattern: /\b(?:rmmod|modprobe\s+-r)\s+(?:nvidia|gdrdrv)\w*/,
    what: 'unloading the driver',
    why: 'every process on the GPU is lost',
  },
  {
    pattern: /(?:>|\btee\b)\s*[^\n;&|<]*\/proc\/[^\n;&|<]+\/oom_score_adj\b/,
    what: 'writing oom_score_adj',
    why: 'the kubelet has set it by class of service: -997 for Guaranteed pods, which every other value makes worse',
  },
  {
    pattern: />\s*\S*\/sys\/fs\/cgroup\/\S*kubepods\S*|\btee\s+\S*\/sys\/fs\/cgroup\/\S*kubepods/,
    what: 'writing into the cgroups of pods',
    why: 'they belong to kubelet and systemd, who write them again',
  },
  { pattern: /\bswap(?:off|on)\s/, what: 'switching swap', why: 'pages that were swapped out must find room at once' },
  {
    pattern: />\s*\S*\/proc\/sys\/vm\/nr_hugepages\b|\bsysctl\b[^\n;&|]*\bvm\.nr_hugepages=/,
    what: 'changing the pool of huge pages',
    why: 'the kubelet counts it when it starts, and offers what it counted',
  },
];

const PLUGIN_FOLDER = '/var/lib/kubelet/device-plugins';

const redLine: Rule = {
  id: 'node-tuning/live-node-red-line',
  row: 'N9',
  tier: 'advice',
  severity: 'warning',
  summary: 'A DaemonSet does to its nodes only what can be put back under running pods.',
  why: 'Restarts, reloads, driver changes and writes into what belongs to the kubelet end or starve the pods of the node, one node after the other.',
  source:
    'NVIDIA/nvidia-container-toolkit issue 48, gpu-operator issue 485 (daemon-reload); kubernetes 1.36, node-pressure-eviction (oom_score_adj); OpenShift node tuning operator (what may be changed)',
  fix: 'Put it into the node image, or do it by drain, change and uncordon; the page on node tuning says which.',
  on: 'object',
  kinds: ['apps/DaemonSet'],
  *check(manifest, context) {
    const spec = asObject(asObject(asObject(manifest.object.spec).template).spec);
    for (const list of ['initContainers', 'containers']) {
      for (const { value: container, path } of objectsAt(spec, `/${list}`)) {
        for (const field of ['command', 'args']) {
          yield* crossed(stringsIn(container[field]).join(' '), `/spec/template/spec${path}/${field}`);
        }
      }
    }
    yield* inScripts(spec, manifest, context);
  },
};

const notSurged: Rule = {
  id: 'node-tuning/device-plugin-not-surged',
  row: 'K2',
  tier: 'advice',
  severity: 'warning',
  summary: 'A DaemonSet that registers devices with the kubelet never runs twice on a node: maxSurge is 0.',
  why: "The old plugin's farewell takes the devices of the new one away, and the node offers none (kubernetes#121994, #127803); corrected after 1.35 only.",
  source: 'kubernetes/kubernetes pull request 135437',
  fix: 'Use maxUnavailable, and leave maxSurge 0.',
  on: 'object',
  kinds: ['apps/DaemonSet'],
  concerns: ['maxSurge'],
  *check({ object }) {
    const spec = asObject(object.spec);
    const surge = asObject(asObject(spec.updateStrategy).rollingUpdate).maxSurge;
    const mounts = objectsAt(asObject(asObject(spec.template).spec), '/volumes').some(
      ({ value }) => asString(asObject(value.hostPath).path)?.replace(/\/$/, '') === PLUGIN_FOLDER,
    );
    if (mounts && surge !== undefined && surge !== null && surge !== 0 && surge !== '0%') {
      yield {
        path: '/spec/updateStrategy/rollingUpdate/maxSurge',
        message: 'two versions of a device plugin would be registered at once',
        found: surge,
        expected: '0',
      };
    }
  },
};

export const liveNodeRules: readonly Rule[] = [redLine, notSurged];

function* crossed(text: string, path: string, where = ''): Iterable<Violation> {
  for (const { pattern, what, why } of RED_LINES) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) {
      yield { path, message: `${where}${what}: ${why}`, found: found.trim() };
    }
  }
}

/** Scripts in ConfigMaps that the pods mount. */
function* inScripts(spec: JsonObject, manifest: Manifest, { set }: RuleContext): Iterable<Violation> {
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    const map = set.get('ConfigMap', asString(asObject(value.configMap).name) ?? '', manifest.id.namespace);
    for (const [key, text] of stringEntries(map?.object.data)) {
      if (!text.startsWith('#!') && !key.endsWith('.sh')) {
        continue;
      }
      const code = text
        .split('\n')
        .filter((line) => !/^\s*#/.test(line))
        .join('\n');
      yield* crossed(code, `/spec/template/spec${path}/configMap/name`, `${key} of ConfigMap ${map?.id.name ?? ''}: `);
    }
  }
}
