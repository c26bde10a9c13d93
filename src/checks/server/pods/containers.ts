/**
 * What every container must say: a name, an image, ports, policies (rows K1 and K15).
 */
import { type Rule } from '../../rule';
import { podRule, since } from '../server-rule';
import { dnsLabel, portName, portNumber } from '../syntax';
import { given, itemsOf, oneOf, text, whole } from '../values';
import { bringsImages, namesContainers } from './completions';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

export const containerRules: readonly Rule[] = [
  podRule(
    'pod-has-container',
    {
      row: 'K1',
      summary: 'A pod has at least one container.',
      fix: 'Add a container.',
    },
    (pod, say) => {
      if (pod.containers.length === 0) {
        say('/spec/containers', 'the pod has no containers', { expected: 'at least one container' });
      }
    },
  ),

  podRule(
    'container-name-required',
    {
      row: 'K1',
      summary: 'Every container has a name.',
      fix: 'Give the container a name, for example the role it plays.',
    },
    (pod, say) => {
      if (namesContainers(pod)) {
        return;
      }
      for (const { name, path } of pod.all) {
        if (name === '') {
          say(`${path}/name`, 'the container has no name', { expected: 'a DNS label' });
        }
      }
    },
  ),

  podRule(
    'container-name-valid',
    {
      row: 'K1',
      summary: "A container's name is a DNS label.",
      fix: 'Use lower-case letters, digits and "-".',
    },
    (pod, say) => {
      for (const { name, path } of pod.all) {
        const complaint = name === '' ? undefined : dnsLabel(name);
        if (complaint !== undefined) {
          say(`${path}/name`, `the container name ${JSON.stringify(name)} must ${complaint}`);
        }
      }
    },
  ),

  podRule(
    'container-name-unique',
    {
      row: 'K1',
      summary: 'No two containers of a pod have one name, init containers included.',
      fix: 'Rename one of them.',
    },
    (pod, say) => {
      const seen = new Set<string>();
      for (const { name, path } of pod.all) {
        if (name === '') {
          continue;
        }
        if (seen.has(name)) {
          say(`${path}/name`, `a container named "${name}" stands in this pod already`);
        }
        seen.add(name);
      }
    },
  ),

  podRule(
    'container-image-required',
    {
      row: 'K1',
      summary: 'Every container names an image.',
      fix: 'Set image, with a tag or a digest.',
    },
    (pod, say) => {
      if (bringsImages(pod)) {
        return;
      }
      for (const { value, name, path } of pod.all) {
        if (text(value.image) === '') {
          say(`${path}/image`, `the container "${name}" has no image`, { expected: 'an image reference' });
        }
      }
    },
  ),

  podRule(
    'container-image-without-blanks',
    {
      row: 'K1',
      summary: 'An image reference of a Pod has no white space around it.',
      fix: 'Remove the blanks.',
      why: 'The API server refuses a Pod; a template is taken and its pods are refused.',
    },
    (pod, say) => {
      for (const { value, path } of pod.all) {
        const image = text(value.image);
        if (image === image.trim()) {
          continue;
        }
        if (pod.isPod && pod.builtIn) {
          say(`${path}/image`, `the image ${JSON.stringify(image)} has white space around it`);
        }
      }
    },
  ),

  podRule(
    'container-port-valid',
    {
      concerns: ['ports'],
      row: 'K1',
      summary: 'A container port has a number from 1 to 65535; a host port too; the protocol is TCP, UDP or SCTP.',
      fix: 'Correct the port.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.ports, `${container.path}/ports`)) {
          const number = whole(value.containerPort) ?? (given(value.containerPort) ? undefined : 0);
          if (number === 0) {
            say(`${path}/containerPort`, 'the port has no number', { expected: '1-65535' });
          } else if (number !== undefined && portNumber(number) !== undefined) {
            say(`${path}/containerPort`, `${number} is no port number`, { expected: '1-65535' });
          }
          const hostPort = whole(value.hostPort) ?? 0;
          if (hostPort !== 0 && portNumber(hostPort) !== undefined) {
            say(`${path}/hostPort`, `${hostPort} is no port number`, { expected: '1-65535' });
          }
          const protocol = text(value.protocol);
          if (protocol !== '' && !PROTOCOLS.includes(protocol)) {
            say(`${path}/protocol`, `the protocol "${protocol}" does not exist`, { expected: oneOf(PROTOCOLS) });
          }
        }
      }
    },
  ),

  podRule(
    'container-port-name-valid',
    {
      concerns: ['ports'],
      row: 'K1',
      summary: 'A port\'s name is at most 15 lower-case letters, digits and "-", and unique in its container.',
      fix: 'Shorten or correct the name.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const seen = new Set<string>();
        for (const { value, path } of itemsOf(container.value.ports, `${container.path}/ports`)) {
          const name = text(value.name);
          if (name === '') {
            continue;
          }
          const complaint = portName(name);
          if (complaint !== undefined) {
            say(`${path}/name`, `the port name "${name}" must ${complaint}`);
          } else if (seen.has(name)) {
            say(`${path}/name`, `a port named "${name}" stands in this container already`);
          } else {
            seen.add(name);
          }
        }
      }
    },
  ),

  podRule(
    'host-port-unique',
    {
      concerns: ['hostPort', 'hostNetwork'],
      row: 'K1',
      summary: "No two ports of a pod's containers take one port of the host, with the same protocol and address.",
      fix: 'Give one of them another host port, or none.',
    },
    (pod, say) => {
      const groups = [pod.containers, ...pod.initContainers.map((container) => [container])];
      for (const containers of groups) {
        const taken = new Set<string>();
        for (const container of containers) {
          for (const { value, path } of itemsOf(container.value.ports, `${container.path}/ports`)) {
            const hostPort =
              whole(value.hostPort) || (pod.isPod && pod.hostNetwork ? whole(value.containerPort) : 0) || 0;
            if (hostPort === 0) {
              continue;
            }
            const key = `${text(value.protocol) || 'TCP'}/${text(value.hostIP)}/${hostPort}`;
            if (taken.has(key)) {
              say(`${path}/hostPort`, `the host port ${hostPort} is taken by another port of this pod`, {
                found: hostPort,
              });
            }
            taken.add(key);
          }
        }
      }
    },
  ),

  podRule(
    'host-network-port-equals-container-port',
    {
      concerns: ['hostPort'],
      row: 'K1',
      summary: "On the host network a port's hostPort, if given, equals its containerPort.",
      fix: "Leave hostPort out: on the host network the container port is the host's.",
    },
    (pod, say) => {
      if (!pod.hostNetwork) {
        return;
      }
      for (const container of pod.containers) {
        for (const { value, path } of itemsOf(container.value.ports, `${container.path}/ports`)) {
          const hostPort = whole(value.hostPort) ?? 0;
          const port = whole(value.containerPort) ?? 0;
          if (hostPort !== 0 && hostPort !== port) {
            say(
              `${path}/hostPort`,
              `hostPort ${hostPort} and containerPort ${port} differ although the pod is on the host network`,
            );
          }
        }
      }
    },
  ),

  podRule(
    'image-pull-policy-valid',
    {
      concerns: ['imagePullPolicy'],
      row: 'K1',
      summary: 'imagePullPolicy is Always, IfNotPresent or Never.',
      fix: 'Use one of the three, or leave it out.',
    },
    (pod, say) => {
      for (const { value, path } of pod.all) {
        const policy = text(value.imagePullPolicy);
        if (policy !== '' && !PULL_POLICIES.includes(policy)) {
          say(`${path}/imagePullPolicy`, `imagePullPolicy "${policy}" does not exist`, {
            expected: oneOf(PULL_POLICIES),
          });
        }
      }
    },
  ),

  podRule(
    'termination-message-policy-valid',
    {
      concerns: ['terminationMessagePolicy'],
      row: 'K1',
      summary: 'terminationMessagePolicy is File or FallbackToLogsOnError.',
      fix: 'Use one of the two, or leave it out.',
    },
    (pod, say) => {
      for (const { value, path } of pod.all) {
        const policy = text(value.terminationMessagePolicy);
        if (policy !== '' && !MESSAGE_POLICIES.includes(policy)) {
          say(`${path}/terminationMessagePolicy`, `terminationMessagePolicy "${policy}" does not exist`, {
            expected: oneOf(MESSAGE_POLICIES),
          });
        }
      }
    },
  ),

  podRule(
    'container-restart-policy-valid',
    {
      concerns: ['restartPolicy', 'restartPolicyRules'],
      row: 'K1',
      summary:
        "A container's own restartPolicy is Always, Never or OnFailure, and is there when restartPolicyRules are.",
      fix: 'Use one of the three; write Always on an init container to make it a sidecar.',
    },
    (pod, say, context) => {
      const perContainer = since(context, 35);
      for (const { value, path, kind } of [...pod.containers, ...pod.initContainers]) {
        const rules = itemsOf(value.restartPolicyRules, `${path}/restartPolicyRules`);
        if (!given(value.restartPolicy)) {
          if (rules.length > 0) {
            say(`${path}/restartPolicy`, 'restartPolicyRules need a restartPolicy beside them', {
              expected: 'Never or OnFailure',
            });
          }
          continue;
        }
        if (typeof value.restartPolicy !== 'string') {
          continue;
        }
        const policy = value.restartPolicy;
        if (!perContainer) {
          if (kind === 'init' && policy !== 'Always') {
            say(`${path}/restartPolicy`, `an init container's restartPolicy cannot be "${policy}"`, {
              expected: 'Always',
            });
          }
          continue;
        }
        if (!['Always', 'Never', 'OnFailure'].includes(policy)) {
          say(`${path}/restartPolicy`, `restartPolicy "${policy}" does not exist`, {
            expected: 'Always, Never or OnFailure',
          });
        }
        if (kind === 'init' && policy === 'Always' && rules.length > 0 && !since(context, 36)) {
          say(`${path}/restartPolicyRules`, 'an init container that restarts always takes no restartPolicyRules');
        }
      }
    },
  ),

  podRule(
    'container-restart-rules-valid',
    {
      concerns: ['restartPolicyRules'],
      row: 'K1',
      summary:
        'A restart rule has a known action and exit codes with operator In or NotIn; at most 20 rules, 255 codes each.',
      fix: 'Correct the rule.',
    },
    (pod, say, context) => {
      if (!since(context, 35)) {
        return;
      }
      const actions = since(context, 36) ? ['Restart', 'RestartAllContainers'] : ['Restart'];
      for (const { value, path } of [...pod.containers, ...pod.initContainers]) {
        const rules = itemsOf(value.restartPolicyRules, `${path}/restartPolicyRules`);
        if (rules.length > 20) {
          say(`${path}/restartPolicyRules`, `${rules.length} restart rules are too many`, { expected: 'at most 20' });
        }
        for (const rule of rules) {
          if (!actions.includes(text(rule.value.action))) {
            say(`${rule.path}/action`, `the restart action "${text(rule.value.action)}" does not exist`, {
              expected: oneOf(actions),
            });
          }
          const codes = rule.value.exitCodes;
          if (!given(codes)) {
            say(`${rule.path}/exitCodes`, 'the restart rule names no exit codes');
          } else if (typeof codes === 'object' && !Array.isArray(codes)) {
            if (!['In', 'NotIn'].includes(text(codes.operator))) {
              say(`${rule.path}/exitCodes/operator`, `the operator "${text(codes.operator)}" does not exist`, {
                expected: 'In or NotIn',
              });
            }
            if (Array.isArray(codes.values) && codes.values.length > 255) {
              say(`${rule.path}/exitCodes/values`, 'more than 255 exit codes');
            }
          }
        }
      }
    },
  ),

  podRule(
    'resize-policy-valid',
    {
      concerns: ['resizePolicy'],
      row: 'K1',
      summary:
        'A resize policy names cpu or memory once, with NotRequired or RestartContainer (NotRequired where the pod never restarts).',
      fix: 'Correct the entry.',
    },
    (pod, say, context) => {
      if (!since(context, 33)) {
        return;
      }
      for (const container of pod.all) {
        const seen = new Set<string>();
        for (const { value, path } of itemsOf(container.value.resizePolicy, `${container.path}/resizePolicy`)) {
          const resource = text(value.resourceName);
          const policy = text(value.restartPolicy);
          if (!['cpu', 'memory'].includes(resource)) {
            say(`${path}/resourceName`, `"${resource}" cannot be resized`, { expected: 'cpu or memory' });
          }
          if (seen.has(resource)) {
            say(`${path}/resourceName`, `a resize policy for "${resource}" stands here already`);
          }
          seen.add(resource);
          if (!['NotRequired', 'RestartContainer'].includes(policy)) {
            say(`${path}/restartPolicy`, `the resize policy "${policy}" does not exist`, {
              expected: 'NotRequired or RestartContainer',
            });
          } else if (pod.restartPolicy === 'Never' && policy !== 'NotRequired') {
            say(`${path}/restartPolicy`, 'a pod that never restarts cannot restart a container to resize it', {
              expected: 'NotRequired',
            });
          } else if (
            container.kind === 'init' &&
            !container.sidecar &&
            policy === 'RestartContainer' &&
            since(context, 35)
          ) {
            say(`${path}/restartPolicy`, 'an init container that ends cannot be restarted to resize it', {
              expected: 'NotRequired',
            });
          }
        }
      }
    },
  ),

  podRule(
    'no-ephemeral-container-at-creation',
    {
      concerns: ['ephemeralContainers'],
      row: 'K1',
      summary: 'Ephemeral containers are added to a running pod; a manifest holds none.',
      fix: 'Remove ephemeralContainers; use `kubectl debug` on the running pod.',
    },
    (pod, say) => {
      if (pod.ephemeralContainers.length > 0) {
        say('/spec/ephemeralContainers', 'ephemeral containers cannot be part of a manifest');
      }
    },
  ),

  podRule(
    'init-container-without-probes',
    {
      concerns: ['initContainers'],
      row: 'K1',
      summary: 'An init container has probes and lifecycle hooks only if its restartPolicy is Always.',
      fix: 'Remove them, or make the container a sidecar with restartPolicy: Always.',
    },
    (pod, say) => {
      for (const { value, path, sidecar } of pod.initContainers) {
        if (sidecar) {
          continue;
        }
        for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
          if (given(value[field])) {
            say(`${path}/${field}`, `an init container that ends takes no ${field}`);
          }
        }
      }
    },
  ),
];
