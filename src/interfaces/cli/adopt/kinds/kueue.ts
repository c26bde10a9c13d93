/**
 * Queues, flavors, cohorts, topologies, and priority classes of Kueue.
 */
import { amounts } from '../container-resources';
import { wordOf, type Expression, type Fields, isFields, nonEmpty, referenceTo, setOwn } from '../expression';
import { all, at, fieldsOf, type Inverse, listOf, oneOf, present, type Proposal, whole } from '../proposal';

function flavorsOf(groups: Expression): readonly Fields[] | undefined {
  const flavors = all(groups, (group) =>
    all(at(group, 'flavors'), (flavor) => {
      const quota = (member: string): Fields | undefined => {
        const byName: Record<string, Expression> = {};
        for (const resource of listOf(at(flavor, 'resources'))) {
          const amount = at(resource, member);
          if (amount !== undefined) {
            setOwn(byName, wordOf(at(resource, 'name')), amount);
          }
        }
        return Object.keys(byName).length === 0 ? undefined : (amounts(byName) ?? { unknown: true });
      };
      const quotas = {
        flavor: referenceTo(at(flavor, 'name'), 'kueue.ResourceFlavor'),
        nominalQuota: quota('nominalQuota'),
        borrowingLimit: quota('borrowingLimit'),
        lendingLimit: quota('lendingLimit'),
      };
      const readable = Object.values(quotas).every((one) => at(one, 'unknown') === undefined);
      return readable && quotas.nominalQuota !== undefined ? quotas : undefined;
    }),
  );
  return flavors?.flat();
}

const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** All, a list of names, or the selector; nothing is a selector that admits none. */
function namespacesOf(selector: Expression): Expression {
  if (!isFields(selector) || Object.keys(selector).length === 0) {
    return undefined;
  }
  const [first, ...others] = listOf(selector.matchExpressions);
  const plain = others.length === 0 && selector.matchLabels === undefined && at(first, 'operator') === 'In';
  return plain && at(first, 'key') === NAMESPACE_NAME ? at(first, 'values') : selector;
}

const clusterQueue: Inverse = (object) => {
  const { spec } = object;
  const flavors = flavorsOf(at(spec, 'resourceGroups'));
  const preemption = at(spec, 'preemption');
  const borrow = at(preemption, 'borrowWithinCohort');
  const threshold = whole(at(borrow, 'maxPriorityThreshold'));
  const checks = listOf(at(spec, 'admissionChecksStrategy', 'admissionChecks')).map((check): Expression => {
    const reference = referenceTo(at(check, 'name'), 'kueue.AdmissionCheck');
    const onFlavors = listOf(at(check, 'onFlavors'));
    return onFlavors.length === 0
      ? reference
      : { check: reference, onFlavors: onFlavors.map((flavor) => referenceTo(flavor, 'kueue.ResourceFlavor')) };
  });
  const fungibility = at(spec, 'flavorFungibility');
  if (flavors === undefined) {
    return undefined;
  }
  return {
    className: 'kueue.ClusterQueue',
    overrides: 'spec',
    props: {
      cohort: referenceTo(at(spec, 'cohortName'), 'kueue.Cohort'),
      flavors: nonEmpty(flavors),
      namespaces: namespacesOf(at(spec, 'namespaceSelector')),
      queueingStrategy: oneOf(at(spec, 'queueingStrategy'), 'BestEffortFIFO', 'StrictFIFO'),
      preemption: present({
        withinClusterQueue: at(preemption, 'withinClusterQueue'),
        reclaimWithinCohort: at(preemption, 'reclaimWithinCohort'),
        borrowWithinCohort:
          at(borrow, 'policy') === 'LowerPriority'
            ? threshold === undefined
              ? 'LowerPriority'
              : { maxPriority: threshold }
            : undefined,
      }),
      flavorFungibility: fungibilityOf(fungibility),
      admissionChecks: nonEmpty(checks),
      fairSharingWeight: at(spec, 'fairSharing', 'weight'),
      admissionScope: at(spec, 'admissionScope', 'admissionMode'),
      stopPolicy: oneOf(at(spec, 'stopPolicy'), 'None', 'Hold', 'HoldAndDrain'),
    },
  };
};

function fungibilityOf(stated: Expression): Fields | undefined {
  return present({
    whenCanBorrow: oneOf(at(stated, 'whenCanBorrow'), 'MayStopSearch', 'TryNextFlavor'),
    whenCanPreempt: oneOf(at(stated, 'whenCanPreempt'), 'MayStopSearch', 'TryNextFlavor'),
    preference: oneOf(at(stated, 'preference'), 'BorrowingOverPreemption', 'PreemptionOverBorrowing'),
  });
}

const cohort: Inverse = (object) => {
  const { spec } = object;
  const flavors = flavorsOf(at(spec, 'resourceGroups'));
  return (
    flavors && {
      className: 'kueue.Cohort',
      overrides: 'spec',
      props: {
        parent: referenceTo(at(spec, 'parentName'), 'kueue.Cohort'),
        flavors: nonEmpty(flavors),
        fairSharingWeight: at(spec, 'fairSharing', 'weight'),
      },
    }
  );
};

const localQueue: Inverse = ({ spec }) => {
  const target = referenceTo(at(spec, 'clusterQueue'), 'kueue.ClusterQueue');
  return target === undefined
    ? undefined
    : {
        className: 'kueue.LocalQueue',
        overrides: 'spec',
        props: {
          clusterQueue: target,
          stopPolicy: oneOf(at(spec, 'stopPolicy'), 'None', 'Hold', 'HoldAndDrain'),
          fairSharingWeight: at(spec, 'fairSharing', 'weight'),
        },
      };
};

const resourceFlavor: Inverse = ({ spec }) => ({
  className: 'kueue.ResourceFlavor',
  overrides: 'spec',
  props: {
    nodeLabels: at(spec, 'nodeLabels'),
    nodeTaints: at(spec, 'nodeTaints'),
    tolerations: at(spec, 'tolerations'),
    topology: referenceTo(at(spec, 'topologyName'), 'kueue.Topology'),
  },
});

const topology: Inverse = ({ spec }) => ({
  className: 'kueue.Topology',
  overrides: 'spec',
  props: { levels: listOf(at(spec, 'levels')).map((level) => at(level, 'nodeLabel')) },
});

const workloadPriorityClass: Inverse = ({ value, description }): Proposal | undefined =>
  typeof value === 'number'
    ? { className: 'kueue.WorkloadPriorityClass', overrides: 'object', props: { value, description } }
    : undefined;

const admissionCheck: Inverse = ({ spec }) => ({
  className: 'kueue.AdmissionCheck',
  overrides: 'spec',
  props: { controllerName: at(spec, 'controllerName'), parameters: at(fieldsOf(spec), 'parameters') },
});

const multiKueueCluster: Inverse = ({ spec }) => {
  const source = at(spec, 'clusterSource');
  const location = at(source, 'kubeConfig', 'location');
  const clusterProfile = at(source, 'clusterProfileRef', 'name');
  const byPath = at(source, 'kubeConfig', 'locationType') === 'Path';
  const access =
    clusterProfile === undefined ? (byPath ? { path: location } : { secret: location }) : { clusterProfile };
  return location === undefined && clusterProfile === undefined
    ? undefined
    : { className: 'kueue.MultiKueueCluster', overrides: 'spec', props: { access } };
};

export const KUEUE: Readonly<Record<string, Inverse>> = {
  'kueue.x-k8s.io/v1beta2/AdmissionCheck': admissionCheck,
  'kueue.x-k8s.io/v1beta2/ClusterQueue': clusterQueue,
  'kueue.x-k8s.io/v1beta2/Cohort': cohort,
  'kueue.x-k8s.io/v1beta2/LocalQueue': localQueue,
  'kueue.x-k8s.io/v1beta2/MultiKueueCluster': multiKueueCluster,
  'kueue.x-k8s.io/v1beta2/ResourceFlavor': resourceFlavor,
  'kueue.x-k8s.io/v1beta2/Topology': topology,
  'kueue.x-k8s.io/v1beta2/WorkloadPriorityClass': workloadPriorityClass,
};
