/**
 * Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController: selectors that match their template, strategies, counts.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule, type RuleContext } from '../../rules/rule';
import { checkClaimSpec } from '../objects/claim-spec';
import { checkLabelSelector, selects } from '../selectors';
import { type Say, objectRule, since } from '../server-rule';
import { dnsLabel, percentage } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, whole } from '../values';

const SOURCE = 'apis/apps/validation/validation.go';
const WITH_SELECTOR = ['apps/Deployment', 'apps/ReplicaSet', 'apps/StatefulSet', 'apps/DaemonSet'];
const LONG_RUNNING = [...WITH_SELECTOR, 'ReplicationController'];
const COUNTS = ['replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'];

export const appsRules: readonly Rule[] = [
  objectRule(
    'workload-selector-valid',
    WITH_SELECTOR,
    {
      source: SOURCE,
      summary: 'A workload must have a valid selector that is not empty.',
      fix: 'Set selector.matchLabels to one or more of the labels in template.metadata.labels.',
    },
    (object, say) => {
      const selector = asObject(object.spec).selector;
      if (!isObject(selector)) {
        // A DaemonSet without a selector is refused since its empty selector matches nothing.
        say('/spec/selector', 'selector must be set', {
          expected: 'matchLabels with labels of the pod template',
          fix: 'Set selector.matchLabels to one or more of the labels in template.metadata.labels.',
        });
        return;
      }
      if (size(selector.matchLabels) + size(selector.matchExpressions) === 0) {
        say('/spec/selector', 'the selector must not be empty', {
          expected: 'matchLabels with labels of the pod template',
          fix: 'Set selector.matchLabels to one or more of the labels in template.metadata.labels.',
        });
      }
      checkLabelSelector(selector, '/spec/selector', say);
    },
  ),

  objectRule(
    'workload-selector-matches-template',
    [...WITH_SELECTOR, 'ReplicationController'],
    {
      source: SOURCE,
      summary: "A workload's selector must match the labels of its pod template.",
      fix: 'Add the labels in spec.selector to template.metadata.labels.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const labels = asObject(asObject(asObject(spec.template).metadata).labels);
      const controller = manifest.id.kind === 'ReplicationController';
      const selector = controller ? { matchLabels: asObject(spec.selector) } : spec.selector;
      if (!isObject(selector)) {
        return;
      }
      if (controller && size(spec.selector) === 0) {
        if (size(labels) === 0) {
          say('/spec/selector', 'selector or template.metadata.labels must be set', {
            fix: 'Set template.metadata.labels, and spec.selector to the same labels.',
          });
        }
        return;
      }
      if (selects(selector, labels) === false) {
        say('/spec/template/metadata/labels', 'the selector must match the labels of the template', {
          found: labels,
          expected: JSON.stringify(selector.matchLabels ?? selector),
        });
      }
    },
  ),

  objectRule(
    'workload-restarts-always',
    LONG_RUNNING,
    {
      source: SOURCE,
      summary: 'Pods of a long-running workload must have restartPolicy Always and no deadline.',
      fix: 'Set restartPolicy: Always and remove activeDeadlineSeconds, or use a Job for pods that complete.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(asObject(asObject(object.spec).template).spec);
      const policy = text(spec.restartPolicy);
      if (policy !== '' && policy !== 'Always') {
        say('/spec/template/spec/restartPolicy', `unsupported restartPolicy "${policy}"`, {
          expected: 'Always',
          fix: 'Set template.spec.restartPolicy to Always, or remove it.',
        });
      }
      if (given(spec.activeDeadlineSeconds)) {
        say(
          '/spec/template/spec/activeDeadlineSeconds',
          `activeDeadlineSeconds must not be set in the pod template of a ${manifest.id.kind}`,
        );
      }
    },
  ),

  objectRule(
    'workload-counts-not-negative',
    LONG_RUNNING,
    {
      source: SOURCE,
      summary:
        "A workload's replicas, minReadySeconds, revisionHistoryLimit, and progressDeadlineSeconds must not be negative.",
      fix: 'Set the number, for example spec.replicas, to at least 0.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      for (const field of COUNTS) {
        // A StatefulSet's history limit is not checked by the server.
        if (field === 'revisionHistoryLimit' && manifest.id.kind === 'StatefulSet') {
          continue;
        }
        const count = whole(spec[field]);
        if (count !== undefined && count < 0) {
          say(`/spec/${field}`, `${field} must be greater than or equal to 0`, { expected: 'at least 0' });
        }
      }
    },
  ),

  objectRule(
    'deployment-strategy-valid',
    ['apps/Deployment'],
    {
      source: SOURCE,
      summary:
        "A Deployment's strategy must be Recreate, or RollingUpdate with maxSurge and maxUnavailable that are not both zero.",
      fix: 'Set strategy.type to Recreate or RollingUpdate, and maxSurge or maxUnavailable to more than 0.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const strategy = asObject(spec.strategy);
      const type = text(strategy.type) || 'RollingUpdate';
      const update = strategy.rollingUpdate;
      if (type !== 'Recreate' && type !== 'RollingUpdate') {
        say('/spec/strategy/type', `unsupported strategy "${type}"`, { expected: 'Recreate or RollingUpdate' });
      } else if (type === 'Recreate' && given(update)) {
        say('/spec/strategy/rollingUpdate', 'rollingUpdate must not be set when the strategy is Recreate');
      } else if (type === 'RollingUpdate') {
        const settings = asObject(update);
        checkShare(settings.maxUnavailable, '/spec/strategy/rollingUpdate/maxUnavailable', say, true);
        checkShare(settings.maxSurge, '/spec/strategy/rollingUpdate/maxSurge', say, false);
        if (isZeroShare(settings.maxUnavailable ?? '25%') && isZeroShare(settings.maxSurge ?? '25%')) {
          say('/spec/strategy/rollingUpdate/maxUnavailable', 'maxSurge and maxUnavailable must not both be 0', {
            expected: 'one of them greater than 0',
          });
        }
      }
      const ready = whole(spec.minReadySeconds) ?? 0;
      const deadline = whole(spec.progressDeadlineSeconds) ?? 600;
      if (deadline >= 0 && deadline <= ready) {
        say(
          '/spec/progressDeadlineSeconds',
          `progressDeadlineSeconds must be greater than minReadySeconds (${deadline} <= ${ready})`,
          { expected: `more than ${ready}` },
        );
      }
    },
  ),

  objectRule(
    'daemon-set-strategy-valid',
    ['apps/DaemonSet'],
    {
      source: SOURCE,
      summary:
        "A DaemonSet's update strategy must be OnDelete, or RollingUpdate with exactly one of maxSurge and maxUnavailable greater than 0.",
      fix: 'Set maxSurge or maxUnavailable in updateStrategy.rollingUpdate to a number greater than 0, and the other to 0.',
    },
    (object, say) => {
      const strategy = asObject(asObject(object.spec).updateStrategy);
      const type = text(strategy.type) || 'RollingUpdate';
      if (type !== 'OnDelete' && type !== 'RollingUpdate') {
        say('/spec/updateStrategy/type', `unsupported strategy "${type}"`, {
          expected: 'OnDelete or RollingUpdate',
        });
        return;
      }
      if (type === 'OnDelete') {
        return;
      }
      const settings = asObject(strategy.rollingUpdate);
      const unavailable = settings.maxUnavailable ?? 1;
      const surge = settings.maxSurge ?? 0;
      checkShare(unavailable, '/spec/updateStrategy/rollingUpdate/maxUnavailable', say, true);
      checkShare(surge, '/spec/updateStrategy/rollingUpdate/maxSurge', say, true);
      if (isZeroShare(unavailable) === isZeroShare(surge)) {
        say('/spec/updateStrategy/rollingUpdate', 'exactly one of maxSurge and maxUnavailable must be greater than 0', {
          expected: 'maxUnavailable: 1, or maxUnavailable: 0 with maxSurge: 1',
        });
      }
    },
  ),

  objectRule(
    'stateful-set-spec-valid',
    ['apps/StatefulSet'],
    {
      source: SOURCE,
      summary:
        'A StatefulSet must have supported policies, complete claim templates, and a service name that is a DNS label.',
      fix: 'Set podManagementPolicy, updateStrategy, volumeClaimTemplates, and serviceName to valid values.',
    },
    (object, say, context) => {
      const spec = asObject(object.spec);
      const management = text(spec.podManagementPolicy);
      if (!['', 'OrderedReady', 'Parallel'].includes(management)) {
        say('/spec/podManagementPolicy', `unsupported value "${management}" for podManagementPolicy`, {
          expected: 'OrderedReady or Parallel',
        });
      }
      const strategy = asObject(spec.updateStrategy);
      const type = text(strategy.type) || 'RollingUpdate';
      if (type !== 'OnDelete' && type !== 'RollingUpdate') {
        say('/spec/updateStrategy/type', `unsupported strategy "${type}"`, {
          expected: 'OnDelete or RollingUpdate',
        });
      }
      if (type === 'OnDelete' && given(strategy.rollingUpdate)) {
        say('/spec/updateStrategy/rollingUpdate', 'rollingUpdate must not be set when the strategy is OnDelete');
      }
      if (type === 'RollingUpdate') {
        checkOrderedUpdate(asObject(strategy.rollingUpdate), say, context);
      }
      const retention = spec.persistentVolumeClaimRetentionPolicy;
      if (isObject(retention)) {
        for (const field of ['whenDeleted', 'whenScaled']) {
          const policy = text(retention[field]) || 'Retain';
          if (!['Retain', 'Delete'].includes(policy)) {
            say(`/spec/persistentVolumeClaimRetentionPolicy/${field}`, `unsupported value "${policy}" for ${field}`, {
              expected: 'Retain or Delete',
            });
          }
        }
      }
      const start = whole(asObject(spec.ordinals).start) ?? 0;
      if (start < 0) {
        say('/spec/ordinals/start', 'start must be greater than or equal to 0');
      }
      const service = text(spec.serviceName) === '' ? undefined : dnsLabel(text(spec.serviceName));
      if (service !== undefined) {
        say('/spec/serviceName', `the service name must ${service}`);
      }
      for (const { value, path } of itemsOf(spec.volumeClaimTemplates, '/spec/volumeClaimTemplates')) {
        const name = dnsLabel(text(asObject(value.metadata).name));
        if (name !== undefined) {
          say(`${path}/metadata/name`, `the claim name, which is also the volume name, must ${name}`);
        }
        checkClaimSpec(asObject(value.spec), `${path}/spec`, say);
      }
    },
  ),

  objectRule(
    'pod-template-given',
    ['PodTemplate'],
    {
      summary: 'A PodTemplate must have a pod template.',
      fix: 'Set template of the PodTemplate: `template.spec.containers`.',
    },
    (object, say) => {
      if (!isObject(object.template)) {
        say('/template', 'the template must be set');
      }
    },
  ),
];

/** How a StatefulSet replaces its pods, one ordinal after the other. Before 1.37, the server drops `maxUnavailable` before it validates. */
function checkOrderedUpdate({ partition, maxUnavailable }: JsonObject, say: Say, context: RuleContext): void {
  if ((whole(partition) ?? 0) < 0) {
    say('/spec/updateStrategy/rollingUpdate/partition', 'partition must be greater than or equal to 0');
  }
  if (maxUnavailable === undefined || maxUnavailable === null || !since(context, 37)) {
    return;
  }
  const path = '/spec/updateStrategy/rollingUpdate/maxUnavailable';
  if (isZeroShare(maxUnavailable)) {
    say(path, 'maxUnavailable must not be 0', { found: maxUnavailable, expected: 'at least 1' });
  } else {
    checkShare(maxUnavailable, path, say, true);
  }
}

/** A count or a percentage, neither negative; a percentage is at most 100 where `bounded`. */
export function checkShare(value: JsonValue | undefined, path: string, say: Say, bounded: boolean): void {
  if (typeof value === 'number') {
    if (value < 0) {
      say(path, `${path.slice(path.lastIndexOf('/') + 1)} must be greater than or equal to 0`, {
        found: value,
        expected: 'at least 0',
      });
    }
  } else if (typeof value === 'string') {
    const complaint = percentage(value);
    if (complaint !== undefined) {
      say(path, `${path.slice(path.lastIndexOf('/') + 1)} "${value}" must ${complaint}`, {
        found: value,
        expected: 'a number or a percentage such as 25%',
      });
    } else if (bounded && Number(value.slice(0, -1)) > 100) {
      say(path, `${path.slice(path.lastIndexOf('/') + 1)} must be no more than 100%, but is ${value}`, {
        found: value,
        expected: 'at most 100%',
        fix: `Set ${fieldOf(path)} to at most 100%.`,
      });
    }
  }
}

function isZeroShare(value: JsonValue): boolean {
  return value === null || value === 0 || (typeof value === 'string' && Number.parseInt(value, 10) === 0);
}
