/**
 * What pods do to the node that they run on: the red lines, and DaemonSets of device plugins.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type RuleContext, type Violation } from '../../../checks/rules/rule';
import { asObject, asString, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { type Manifest } from '../../../manifests/manifest';

/** Characters of one command that the patterns look at: the time that they take grows with the square of it. */
const LONGEST_COMMAND = 2000;

/** What must not be done under running pods, how it is recognized in one command, and why. */
const RED_LINES: readonly { readonly pattern: RegExp; readonly what: string; readonly why: string }[] = [
  {
    pattern: /\bsystemctl\b[^\n;&|]*\bdaemon-(?:reload|reexec)\b/,
    what: 'runs systemctl daemon-reload',
    why: 'it removes the GPUs from running containers whose devices were injected by the hook',
  },
  {
    pattern:
      /\bsystemctl\b[^\n;&|]*\b(?:restart|try-restart|reload-or-restart|stop)\b[^\n;&|]*\b(?:kubelet|containerd|crio|docker)\b/,
    what: 'restarts the kubelet or the container runtime',
    why: 'the kubelet then allocates devices again, and may reject pods that use them',
  },
  {
    pattern: /\bnvidia-smi\b[^\n;&|]*\s(?:-mig|--multi-instance-gpu)\b/,
    what: 'changes the MIG mode',
    why: 'every process on the GPU must end first, which only the MIG manager ensures',
  },
  {
    pattern: /\bnvidia-smi\b[^\n;&|]*\s(?:-r|--gpu-reset)(?:\s|$)/,
    what: 'resets a GPU',
    why: 'every process on the GPU is terminated',
  },
  {
    pattern: /\b(?:rmmod|modprobe\s+-r)\s+(?:nvidia|gdrdrv)\w*/,
    what: 'unloads the driver',
    why: 'every process on the GPU is terminated',
  },
  {
    pattern: /(?:>|\btee\b)\s*[^\n;&|<]*\/proc\/[^\n;&|<]+\/oom_score_adj\b/,
    what: 'writes to oom_score_adj',
    why: 'the kubelet sets it by QoS class (-997 for Guaranteed pods), and any other value is worse for these pods',
  },
  {
    pattern: />\s*\S*\/sys\/fs\/cgroup\/\S*kubepods\S*|\btee\s+\S*\/sys\/fs\/cgroup\/\S*kubepods/,
    what: 'writes to the cgroups of pods',
    why: 'the kubelet and systemd manage them and overwrite the change',
  },
  {
    pattern: /\bswap(?:off|on)\s/,
    what: 'changes swap',
    why: 'all pages in swap must fit into memory at once',
  },
  {
    pattern: />\s*\S*\/proc\/sys\/vm\/nr_hugepages\b|\bsysctl\b[^\n;&|]*\bvm\.nr_hugepages=/,
    what: 'changes the number of huge pages',
    why: 'the kubelet counts them only at startup, and continues to allocate the old number',
  },
];

const PLUGIN_FOLDER = '/var/lib/kubelet/device-plugins';

const redLine: Rule = {
  id: 'node-tuning/live-node-setting-unchanged',
  row: 'N9',
  tier: 'advice',
  severity: 'warning',
  summary: 'A DaemonSet must change its nodes only in ways that are safe for running pods.',
  why: 'Restarts, reloads, driver changes, and writes to what the kubelet manages terminate or starve the pods of the node, one node after the other.',
  source:
    'NVIDIA/nvidia-container-toolkit issue 48, gpu-operator issue 485 (daemon-reload); kubernetes 1.36, node-pressure-eviction (oom_score_adj); OpenShift node tuning operator (what may be changed)',
  fix: 'Move the command to the node image, or run it on nodes that are drained (see docs/node-tuning.md).',
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
  summary: 'A DaemonSet that registers devices with the kubelet must not run twice on a node: maxSurge must be 0.',
  why: 'When the old plugin terminates, it removes the devices of the new one, and the node offers none (kubernetes#121994, #127803); this is fixed only after 1.35.',
  source: 'kubernetes/kubernetes pull request 135437',
  fix: 'Set rollingUpdate.maxSurge to 0, and maxUnavailable to at least 1.',
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
        message: 'maxSurge must be 0: two device plugins on one node would register the same resource',
        found: surge,
        expected: '0',
      };
    }
  },
};

export const liveNodeRules: readonly Rule[] = [redLine, notSurged];

function* crossed(text: string, path: string, subject = 'the container'): Iterable<Violation> {
  const commands = text.split(/[\n;&|]/).map((command) => command.slice(0, LONGEST_COMMAND));
  for (const { pattern, what, why } of RED_LINES) {
    const command = commands.find((one) => pattern.test(one)) ?? '';
    const found = pattern.exec(command)?.[0];
    if (found !== undefined) {
      yield { path, message: `${subject} ${what} on a running node: ${why}`, found: found.trim() };
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
      yield* crossed(
        code,
        `/spec/template/spec${path}/configMap/name`,
        `the script "${key}" of the ConfigMap "${map?.id.name ?? ''}"`,
      );
    }
  }
}
