/**
 * Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController: selectors that match their template, strategies, counts.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { checkClaimSpec } from '../objects/claim-spec';
import { checkLabelSelector, selects } from '../selectors';
import { type Say, objectRule } from '../server-rule';
import { dnsLabel, percentage } from '../syntax';
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
      summary: 'A workload has a selector that is not empty and valid.',
      fix: 'Write selector.matchLabels with labels of the template.',
    },
    (object, say) => {
      const selector = asObject(object.spec).selector;
      if (!isObject(selector)) {
        // A DaemonSet without a selector is refused since its empty selector matches nothing.
        say('/spec/selector', 'the workload has no selector', { expected: 'matchLabels with labels of the template' });
        return;
      }
      if (size(selector.matchLabels) + size(selector.matchExpressions) === 0) {
        say('/spec/selector', 'the selector is empty', { expected: 'at least one label' });
      }
      checkLabelSelector(selector, '/spec/selector', say);
    },
  ),

  objectRule(
    'workload-selector-matches-template',
    [...WITH_SELECTOR, 'ReplicationController'],
    {
      source: SOURCE,
      summary: "A workload's selector matches the labels of its pod template.",
      fix: 'Give the template the labels that the selector asks for.',
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
          say('/spec/selector', 'the controller has neither a selector nor template labels');
        }
        return;
      }
      if (selects(selector, labels) === false) {
        say('/spec/template/metadata/labels', "the selector does not match the template's labels", {
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
      summary: 'Pods of a long-running workload restart always and have no deadline.',
      fix: 'Use a Job for work that ends.',
    },
    (object, say) => {
      const spec = asObject(asObject(asObject(object.spec).template).spec);
      const policy = text(spec.restartPolicy);
      if (policy !== '' && policy !== 'Always') {
        say('/spec/template/spec/restartPolicy', `restartPolicy ${policy} is not possible here`, {
          expected: 'Always',
        });
      }
      if (given(spec.activeDeadlineSeconds)) {
        say('/spec/template/spec/activeDeadlineSeconds', 'a pod of this workload takes no deadline');
      }
    },
  ),

  objectRule(
    'workload-counts-not-negative',
    LONG_RUNNING,
    {
      source: SOURCE,
      summary: 'Replicas, minReadySeconds, revisionHistoryLimit and progressDeadlineSeconds are not negative.',
      fix: 'Correct the number.',
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
          say(`/spec/${field}`, `${field} cannot be negative`, { expected: '0 or more' });
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
        "A Deployment's strategy is Recreate, or RollingUpdate with maxSurge and maxUnavailable that are not both zero.",
      fix: 'Correct the strategy.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const strategy = asObject(spec.strategy);
      const type = text(strategy.type) || 'RollingUpdate';
      const update = strategy.rollingUpdate;
      if (type !== 'Recreate' && type !== 'RollingUpdate') {
        say('/spec/strategy/type', `the strategy "${type}" does not exist`, { expected: 'Recreate or RollingUpdate' });
      } else if (type === 'Recreate' && given(update)) {
        say('/spec/strategy/rollingUpdate', 'the strategy Recreate takes no rollingUpdate');
      } else if (type === 'RollingUpdate') {
        const settings = asObject(update);
        checkShare(settings.maxUnavailable, '/spec/strategy/rollingUpdate/maxUnavailable', say, true);
        checkShare(settings.maxSurge, '/spec/strategy/rollingUpdate/maxSurge', say, false);
        if (isZeroShare(settings.maxUnavailable ?? '25%') && isZeroShare(settings.maxSurge ?? '25%')) {
          say(
            '/spec/strategy/rollingUpdate/maxUnavailable',
            'maxSurge and maxUnavailable are both zero, so nothing could be updated',
            { expected: 'one of them above zero' },
          );
        }
      }
      const ready = whole(spec.minReadySeconds) ?? 0;
      const deadline = whole(spec.progressDeadlineSeconds) ?? 600;
      if (deadline >= 0 && deadline <= ready) {
        say(
          '/spec/progressDeadlineSeconds',
          `progressDeadlineSeconds ${deadline} is not above minReadySeconds ${ready}`,
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
        "A DaemonSet's update strategy is OnDelete, or RollingUpdate with exactly one of maxSurge and maxUnavailable above zero.",
      fix: 'Correct the strategy.',
    },
    (object, say) => {
      const strategy = asObject(asObject(object.spec).updateStrategy);
      const type = text(strategy.type) || 'RollingUpdate';
      if (type !== 'OnDelete' && type !== 'RollingUpdate') {
        say('/spec/updateStrategy/type', `the strategy "${type}" does not exist`, {
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
        say('/spec/updateStrategy/rollingUpdate', 'exactly one of maxSurge and maxUnavailable must be above zero', {
          expected: 'maxUnavailable: 0 beside maxSurge',
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
        'A StatefulSet has known policies, claim templates that are complete, and a service name that is a DNS label.',
      fix: 'Correct the field.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const management = text(spec.podManagementPolicy);
      if (!['', 'OrderedReady', 'Parallel'].includes(management)) {
        say('/spec/podManagementPolicy', `podManagementPolicy "${management}" does not exist`, {
          expected: 'OrderedReady or Parallel',
        });
      }
      const strategy = asObject(spec.updateStrategy);
      const type = text(strategy.type) || 'RollingUpdate';
      if (type !== 'OnDelete' && type !== 'RollingUpdate') {
        say('/spec/updateStrategy/type', `the strategy "${type}" does not exist`, {
          expected: 'OnDelete or RollingUpdate',
        });
      }
      if (type === 'OnDelete' && given(strategy.rollingUpdate)) {
        say('/spec/updateStrategy/rollingUpdate', 'the strategy OnDelete takes no rollingUpdate');
      }
      if (type === 'RollingUpdate') {
        const partition = whole(asObject(strategy.rollingUpdate).partition) ?? 0;
        if (partition < 0) {
          say('/spec/updateStrategy/rollingUpdate/partition', 'partition cannot be negative');
        }
      }
      const retention = spec.persistentVolumeClaimRetentionPolicy;
      if (isObject(retention)) {
        for (const field of ['whenDeleted', 'whenScaled']) {
          const policy = text(retention[field]) || 'Retain';
          if (!['Retain', 'Delete'].includes(policy)) {
            say(`/spec/persistentVolumeClaimRetentionPolicy/${field}`, `${field} "${policy}" does not exist`, {
              expected: 'Retain or Delete',
            });
          }
        }
      }
      const start = whole(asObject(spec.ordinals).start) ?? 0;
      if (start < 0) {
        say('/spec/ordinals/start', 'start cannot be negative');
      }
      const service = text(spec.serviceName) === '' ? undefined : dnsLabel(text(spec.serviceName));
      if (service !== undefined) {
        say('/spec/serviceName', `the service's name must ${service}`);
      }
      for (const { value, path } of itemsOf(spec.volumeClaimTemplates, '/spec/volumeClaimTemplates')) {
        const name = dnsLabel(text(asObject(value.metadata).name));
        if (name !== undefined) {
          say(`${path}/metadata/name`, `the claim's name, which is a volume's as well, must ${name}`);
        }
        checkClaimSpec(asObject(value.spec), `${path}/spec`, say);
      }
    },
  ),

  objectRule(
    'pod-template-given',
    ['PodTemplate'],
    {
      summary: 'A PodTemplate holds a pod template.',
      fix: 'Add the template.',
    },
    (object, say) => {
      if (!isObject(object.template)) {
        say('/template', 'the template is missing');
      }
    },
  ),
];

/** A count or a percentage, neither negative; a percentage is at most 100 where `bounded`. */
export function checkShare(value: JsonValue | undefined, path: string, say: Say, bounded: boolean): void {
  if (typeof value === 'number') {
    if (value < 0) {
      say(path, 'the number cannot be negative', { found: value, expected: '0 or more' });
    }
  } else if (typeof value === 'string') {
    const complaint = percentage(value);
    if (complaint !== undefined) {
      say(path, `the value "${value}" must ${complaint}`, {
        found: value,
        expected: 'a number or a percentage such as 25%',
      });
    } else if (bounded && Number(value.slice(0, -1)) > 100) {
      say(path, `${value} is more than everything`, { found: value, expected: 'at most 100%' });
    }
  }
}

function isZeroShare(value: JsonValue): boolean {
  return value === null || value === 0 || (typeof value === 'string' && Number.parseInt(value, 10) === 0);
}
