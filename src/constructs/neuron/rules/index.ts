/**
 * What the Neuron device plugin and its scheduler extension require of pods.
 */
import { oneOf } from '../../../facts/words';
import { type Rule } from '../../../checks/rules/rule';
import { asString } from '../../../manifests/read';
import { amountsOf, askedByPod, domainAdvice, nodeLabelWanted } from '../../pods/rules/domain-advice';

const DEVICE = 'aws.amazon.com/neuron';
const CORE = 'aws.amazon.com/neuroncore';
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
const EXTENSION = 'AWS Neuron documentation, "Neuron scheduler extension"';
/** Devices of a container on instances whose devices form a 2D torus. */
const TORUS_COUNTS = [1, 4, 8, 16];

export const neuronRules: readonly Rule[] = [
  domainAdvice(
    'neuron',
    'device-or-core',
    {
      concerns: [DEVICE],
      severity: 'error',
      summary: 'A container must request either Neuron devices or cores, not both.',
      why: 'The two resources count the same hardware: the container gets cores of other devices than its own, and the node runs out of both.',
      source: 'AWS Neuron documentation, "Kubernetes environment setup"',
      fix: `Remove ${CORE} or ${DEVICE} from limits.`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container).filter(({ amount }) => amount > 0);
        const core = asked.find(({ name }) => name === CORE);
        if (core !== undefined && asked.some(({ name }) => name === DEVICE)) {
          say(core.path, `${CORE} must not be set when ${DEVICE} is set`, { expected: 'only one of these resources' });
        }
      }
    },
  ),

  domainAdvice(
    'neuron',
    'count-of-torus',
    {
      concerns: [DEVICE],
      severity: 'error',
      summary: 'A container on trn1.32xlarge or trn1n.32xlarge requests 1, 4, 8, or 16 Neuron devices.',
      why: 'The devices form a 2D torus; the scheduler extension places no other number, and the pod stays pending.',
      source: EXTENSION,
      fix: `Set limits["${DEVICE}"] to 1, 4, 8, or 16, or select an Inf2 instance type.`,
    },
    (pod, say) => {
      const types = nodeLabelWanted(pod, INSTANCE_TYPE) ?? [];
      if (types.length === 0 || !types.every((type) => /^trn1n?\.32xlarge$/.test(type))) {
        return;
      }
      for (const { name, amount, path } of askedByPod(pod)) {
        if (name === DEVICE && amount > 0 && !TORUS_COUNTS.includes(amount)) {
          say(path, `${amount} devices of ${oneOf(types)} are not directly connected to each other`, {
            found: amount,
            expected: oneOf(TORUS_COUNTS.map(String)),
          });
        }
      }
    },
  ),

  domainAdvice(
    'neuron',
    'several-need-extension',
    {
      concerns: [DEVICE, CORE],
      severity: 'info',
      summary: 'A pod with several Neuron devices or cores is scheduled by a scheduler that knows which are connected.',
      why: 'The default scheduler counts devices only: the kubelet may pick some that are not directly connected, and collectives fail. A pod with a whole node is not affected.',
      source: EXTENSION,
      fix: 'Set spec.schedulerName to my-scheduler, which the chart neuron-helm-chart installs with scheduler.enabled, or request all devices of the node.',
    },
    (pod, say) => {
      const scheduler = asString(pod.spec.schedulerName) ?? 'default-scheduler';
      const several = askedByPod(pod).find(({ name, amount }) => (name === DEVICE || name === CORE) && amount > 1);
      if (
        several !== undefined &&
        scheduler === 'default-scheduler' &&
        several.amount % 12 !== 0 &&
        several.amount < 16
      ) {
        say(
          several.path,
          `the default scheduler does not select adjacent devices for ${several.amount} of ${several.name}`,
          {
            expected: 'the scheduler of the Neuron scheduler extension',
          },
        );
      }
    },
  ),
];
