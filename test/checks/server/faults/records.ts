/**
 * Nodes and what is recorded about the cluster: a fault for each rule, made in an object that is otherwise valid.
 */
import { clusterObjects, recordObjects } from '../valid-objects';
import { by, type ObjectFault } from './fault';

export const RECORDS_FAULTS: readonly ObjectFault[] = [
  ['node-taints-valid', 'no effect', by(clusterObjects, 'Node'), (spec) => (spec.taints = [{ key: 'a' }])],
  [
    'node-taints-valid',
    'one taint twice',
    by(clusterObjects, 'Node'),
    (spec) =>
      (spec.taints = [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
      ]),
  ],
  [
    'node-resources-valid',
    'half a GPU',
    by(clusterObjects, 'Node'),
    (_spec, object) => (object.status = { capacity: { 'nvidia.com/gpu': '500m' } }),
  ],
  ['runtime-class-valid', 'no handler', by(clusterObjects, 'RuntimeClass'), (_spec, object) => delete object.handler],
  ['lease-valid', 'no time', by(clusterObjects, 'Lease'), (spec) => (spec.leaseDurationSeconds = 0)],
  ['api-service-valid', 'no namespace', by(recordObjects, 'APIService'), (spec) => (spec.service = { name: 'x' })],
  ['api-service-valid', 'too much priority', by(recordObjects, 'APIService'), (spec) => (spec.versionPriority = 1001)],
  [
    'certificate-request-valid',
    'no PEM',
    by(recordObjects, 'CertificateSigningRequest'),
    (spec) => (spec.request = 'aGk='),
  ],
  [
    'certificate-request-valid',
    'a signer without a domain',
    by(recordObjects, 'CertificateSigningRequest'),
    (spec) => (spec.signerName = 'kubelet/serving'),
  ],
  [
    'event-valid',
    'an object elsewhere',
    by(recordObjects, 'Event', 'e'),
    (_spec, object) => (object.involvedObject = { kind: 'Pod', name: 'x', namespace: 'other' }),
  ],
  [
    'event-valid',
    'no reporter',
    by(recordObjects, 'Event', 'e2'),
    (_spec, object) => delete object.reportingController,
  ],
  ['lease-candidate-valid', 'no version', by(recordObjects, 'LeaseCandidate'), (spec) => delete spec.binaryVersion],
  [
    'lease-candidate-valid',
    'an unknown strategy',
    by(recordObjects, 'LeaseCandidate'),
    (spec) => (spec.strategy = 'Mine'),
  ],
];
