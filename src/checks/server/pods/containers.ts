/**
 * What every container must say: a name, an image, ports, policies (rows K1 and K15).
 */
import { fieldOf } from '../../../manifests/pointer';
import { hasNoItems } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { podRule, since } from '../server-rule';
import { dnsLabel, portName, portNumber } from '../../../manifests/values/name-syntax';
import { given, itemsOf, text, whole } from '../values';
import { bringsImages, namesContainers } from './completions';
import { oneOf } from '../../../facts/words';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

export const containerRules: readonly Rule[] = [
  podRule(
    'pod-has-container',
    {
      row: 'K1',
      summary: 'A pod must have at least one container.',
      fix: 'Add a container to spec.containers.',
    },
    (pod, say) => {
      if (hasNoItems(pod.spec.containers)) {
        say('/spec/containers', 'the pod must have at least one container', { expected: 'at least one container' });
      }
    },
  ),

  podRule(
    'container-name-required',
    {
      row: 'K1',
      summary: 'Every container must have a name.',
      fix: 'Set containers[].name, for example to the role of the container.',
    },
    (pod, say) => {
      if (namesContainers(pod)) {
        return;
      }
      for (const { name, path } of pod.all) {
        if (name === '') {
          say(`${path}/name`, 'the container must have a name', { expected: 'a DNS label such as main' });
        }
      }
    },
  ),

  podRule(
    'container-name-valid',
    {
      row: 'K1',
      summary: "A container's name must be a DNS label.",
      fix: 'Set containers[].name to lowercase letters, digits, and "-".',
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
      summary: "The names of a pod's containers must be unique, including init containers.",
      fix: 'Set containers[].name to a different name for each container.',
    },
    (pod, say) => {
      const seen = new Set<string>();
      for (const { name, path } of pod.all) {
        if (name === '') {
          continue;
        }
        if (seen.has(name)) {
          say(`${path}/name`, `duplicate container name "${name}"`);
        }
        seen.add(name);
      }
    },
  ),

  podRule(
    'container-image-required',
    {
      row: 'K1',
      summary: 'Every container must have an image.',
      fix: 'Set image, with a tag or a digest.',
    },
    (pod, say) => {
      if (bringsImages(pod)) {
        return;
      }
      for (const { value, name, path } of pod.all) {
        if (text(value.image) === '') {
          say(`${path}/image`, `the container "${name}" must have an image`, { expected: 'an image reference' });
        }
      }
    },
  ),

  podRule(
    'container-image-without-blanks',
    {
      row: 'K1',
      summary: 'The image of a Pod must not have leading or trailing white space.',
      fix: 'Remove the white space from containers[].image.',
      why: "The API server rejects a Pod; it accepts a template, but rejects the template's pods.",
    },
    (pod, say) => {
      for (const { value, path } of pod.all) {
        const image = text(value.image);
        if (image === image.trim()) {
          continue;
        }
        if (pod.isPod && pod.builtIn) {
          say(`${path}/image`, `the image ${JSON.stringify(image)} must not have leading or trailing white space`);
        }
      }
    },
  ),

  podRule(
    'container-port-valid',
    {
      concerns: ['ports'],
      row: 'K1',
      summary:
        'containerPort and hostPort must be numbers from 1 to 65535, and the protocol must be TCP, UDP, or SCTP.',
      fix: 'Set containerPort, hostPort, and protocol in containers[].ports to valid values.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.ports, `${container.path}/ports`)) {
          const number = whole(value.containerPort) ?? (given(value.containerPort) ? undefined : 0);
          if (number === 0) {
            say(`${path}/containerPort`, 'containerPort must be set', { expected: '1-65535' });
          } else if (number !== undefined && portNumber(number) !== undefined) {
            say(`${path}/containerPort`, `the port must be between 1 and 65535, but is ${number}`, {
              expected: '1-65535',
            });
          }
          const hostPort = whole(value.hostPort) ?? 0;
          if (hostPort !== 0 && portNumber(hostPort) !== undefined) {
            say(`${path}/hostPort`, `the port must be between 1 and 65535, but is ${hostPort}`, {
              expected: '1-65535',
            });
          }
          const protocol = text(value.protocol);
          if (protocol !== '' && !PROTOCOLS.includes(protocol)) {
            say(`${path}/protocol`, `unsupported protocol "${protocol}"`, { expected: oneOf(PROTOCOLS) });
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
      summary: 'A port\'s name must be at most 15 lowercase letters, digits, and "-", and unique in its container.',
      fix: 'Set ports[].name to a unique name of at most 15 lowercase letters, digits, and "-".',
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
            say(`${path}/name`, `duplicate port name "${name}"`);
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
      summary: "The host ports of a pod's containers must be unique by port, protocol, and address.",
      fix: 'Set hostPort to a different port, or remove it.',
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
              say(`${path}/hostPort`, `duplicate host port ${hostPort} in this pod`, {
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
      summary: "On the host network, a port's hostPort must equal its containerPort.",
      fix: 'Remove hostPort, because on the host network the container port is the port of the host.',
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
            const field = fieldOf(`${path}/hostPort`);
            say(`${path}/hostPort`, `hostPort must equal containerPort on the host network (${hostPort} != ${port})`, {
              fix: portNumber(port) === undefined ? `Set ${field} to ${port}, or remove it.` : `Remove ${field}.`,
            });
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
      summary: 'imagePullPolicy must be Always, IfNotPresent, or Never.',
      fix: 'Set imagePullPolicy to Always, IfNotPresent, or Never, or leave it unset.',
    },
    (pod, say) => {
      for (const { value, path } of pod.all) {
        const policy = text(value.imagePullPolicy);
        if (policy !== '' && !PULL_POLICIES.includes(policy)) {
          say(`${path}/imagePullPolicy`, `unsupported value "${policy}" for imagePullPolicy`, {
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
      summary: 'terminationMessagePolicy must be File or FallbackToLogsOnError.',
      fix: 'Set terminationMessagePolicy to File or FallbackToLogsOnError, or leave it unset.',
    },
    (pod, say) => {
      for (const { value, path } of pod.all) {
        const policy = text(value.terminationMessagePolicy);
        if (policy !== '' && !MESSAGE_POLICIES.includes(policy)) {
          say(`${path}/terminationMessagePolicy`, `unsupported value "${policy}" for terminationMessagePolicy`, {
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
        "A container's own restartPolicy must be Always, Never, or OnFailure, and must be set if restartPolicyRules is set.",
      fix: 'Set restartPolicy to Always, Never, or OnFailure; Always makes an init container a sidecar.',
    },
    (pod, say, context) => {
      const perContainer = since(context, 35);
      for (const { value, path, kind } of [...pod.containers, ...pod.initContainers]) {
        const rules = itemsOf(value.restartPolicyRules, `${path}/restartPolicyRules`);
        if (!given(value.restartPolicy)) {
          if (rules.length > 0) {
            say(`${path}/restartPolicy`, 'restartPolicyRules must not be set without restartPolicy', {
              expected: 'Never or OnFailure',
              fix: `Set ${fieldOf(`${path}/restartPolicy`)} to Never or OnFailure, or remove restartPolicyRules.`,
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
            say(`${path}/restartPolicy`, `restartPolicy must be Always for an init container, but is "${policy}"`, {
              expected: 'Always',
            });
          }
          continue;
        }
        if (!['Always', 'Never', 'OnFailure'].includes(policy)) {
          say(`${path}/restartPolicy`, `unsupported value "${policy}" for restartPolicy`, {
            expected: 'Always, Never, or OnFailure',
          });
        }
        if (kind === 'init' && policy === 'Always' && rules.length > 0 && !since(context, 36)) {
          say(
            `${path}/restartPolicyRules`,
            'restartPolicyRules must not be set for an init container with restartPolicy Always',
          );
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
        'A restart rule must have a supported action and exit codes with the operator In or NotIn; at most 20 rules, 255 codes each.',
      fix: 'Set action and exitCodes in restartPolicyRules.',
    },
    (pod, say, context) => {
      if (!since(context, 35)) {
        return;
      }
      const actions = since(context, 36) ? ['Restart', 'RestartAllContainers'] : ['Restart'];
      for (const { value, path } of [...pod.containers, ...pod.initContainers]) {
        const rules = itemsOf(value.restartPolicyRules, `${path}/restartPolicyRules`);
        if (rules.length > 20) {
          say(
            `${path}/restartPolicyRules`,
            `the container must have at most 20 restart rules, but has ${rules.length}`,
            {
              expected: 'at most 20',
            },
          );
        }
        for (const rule of rules) {
          if (!actions.includes(text(rule.value.action))) {
            say(`${rule.path}/action`, `unsupported restart action "${text(rule.value.action)}"`, {
              expected: oneOf(actions),
            });
          }
          const codes = rule.value.exitCodes;
          if (!given(codes)) {
            say(`${rule.path}/exitCodes`, 'exitCodes must be set');
          } else if (typeof codes === 'object' && !Array.isArray(codes)) {
            if (!['In', 'NotIn'].includes(text(codes.operator))) {
              say(`${rule.path}/exitCodes/operator`, `unsupported operator "${text(codes.operator)}"`, {
                expected: 'In or NotIn',
              });
            }
            if (Array.isArray(codes.values) && codes.values.length > 255) {
              say(`${rule.path}/exitCodes/values`, 'the rule must not have more than 255 exit codes');
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
        'A resize policy must name cpu or memory once, with NotRequired or RestartContainer (NotRequired if the pod never restarts).',
      fix: 'Set resourceName and restartPolicy in resizePolicy.',
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
            say(`${path}/resourceName`, `unsupported resource "${resource}" in resizePolicy`, {
              expected: 'cpu or memory',
            });
          }
          if (seen.has(resource)) {
            say(`${path}/resourceName`, `duplicate resize policy for "${resource}"`);
          }
          seen.add(resource);
          if (!['NotRequired', 'RestartContainer'].includes(policy)) {
            say(`${path}/restartPolicy`, `unsupported value "${policy}" for restartPolicy`, {
              expected: 'NotRequired or RestartContainer',
            });
          } else if (pod.restartPolicy === 'Never' && policy !== 'NotRequired') {
            say(`${path}/restartPolicy`, 'RestartContainer must not be set for a pod that never restarts', {
              expected: 'NotRequired',
            });
          } else if (
            container.kind === 'init' &&
            !container.sidecar &&
            policy === 'RestartContainer' &&
            since(context, 35)
          ) {
            say(
              `${path}/restartPolicy`,
              'restartPolicy must not be RestartContainer for an init container without restartPolicy: Always',
              {
                expected: 'NotRequired',
              },
            );
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
      summary: 'A manifest must not contain ephemeral containers, which are added to running pods.',
      fix: 'Remove ephemeralContainers; use `kubectl debug` on the running pod.',
    },
    (pod, say) => {
      if (pod.ephemeralContainers.length > 0) {
        say('/spec/ephemeralContainers', 'ephemeralContainers must not be set in a manifest');
      }
    },
  ),

  podRule(
    'init-container-without-probes',
    {
      concerns: ['initContainers'],
      row: 'K1',
      summary: 'An init container must not have probes and lifecycle hooks unless its restartPolicy is Always.',
      fix: 'Remove the probe or lifecycle hook, or set restartPolicy: Always to make the container a sidecar.',
    },
    (pod, say) => {
      for (const { value, path, sidecar } of pod.initContainers) {
        if (sidecar) {
          continue;
        }
        for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
          if (given(value[field])) {
            say(`${path}/${field}`, `${field} must not be set for an init container without restartPolicy: Always`);
          }
        }
      }
    },
  ),
];
