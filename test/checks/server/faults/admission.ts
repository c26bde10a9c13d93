/**
 * Webhooks, admission policies, and custom resource definitions: a fault for each rule, made in an object that is otherwise valid.
 */
import { type Json } from '../valid';
import { admissionObjects } from '../valid-objects';
import { first, schemaOf, crd, by, type ObjectFault } from './fault';

export const ADMISSION_FAULTS: readonly ObjectFault[] = [
  [
    'webhook-valid',
    'a short name',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => (first(object.webhooks).name = 'mine'),
  ],
  [
    'webhook-valid',
    'side effects',
    by(admissionObjects, 'MutatingWebhookConfiguration'),
    (_spec, object) => (first(object.webhooks).sideEffects = 'Some'),
  ],
  [
    'admission-policy-valid',
    'nothing to validate',
    by(admissionObjects, 'ValidatingAdmissionPolicy'),
    (spec) => Object.assign(spec, { validations: [], auditAnnotations: [] }),
  ],
  [
    'admission-policy-valid',
    'no patch type',
    by(admissionObjects, 'MutatingAdmissionPolicy'),
    (spec) => (spec.mutations = [{}]),
  ],
  [
    'admission-policy-binding-valid',
    'Deny and Warn',
    by(admissionObjects, 'ValidatingAdmissionPolicyBinding'),
    (spec) => (spec.validationActions = ['Deny', 'Warn']),
  ],
  ['crd-names-valid', 'a capital letter', crd, (spec) => ((spec.names as Json).singular = 'Widget')],
  ['crd-versions-valid', 'nothing stored', crd, (spec) => (first(spec.versions).storage = false)],
  [
    'webhook-valid',
    'an expression about nothing',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => (first(object.webhooks).matchConditions = [{ name: 'a', expression: 'thing.spec' }]),
  ],
  [
    'webhook-valid',
    'an expression that says a number',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => (first(object.webhooks).matchConditions = [{ name: 'a', expression: '1' }]),
  ],
  [
    'webhook-valid',
    'half an expression',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => (first(object.webhooks).matchConditions = [{ name: 'a', expression: 'object.spec ==' }]),
  ],
  ['crd-schema-structural', 'a part without a type', crd, (spec) => (schemaOf(spec).properties = { spec: {} })],
  [
    'crd-schema-structural',
    'a type in a branch',
    crd,
    (spec) => (schemaOf(spec).properties = { a: { type: 'string', anyOf: [{ type: 'string' }] } }),
  ],
  [
    'crd-schema-structural',
    'a default of another type',
    crd,
    (spec) => (schemaOf(spec).properties = { a: { type: 'integer', default: 'one' } }),
  ],
  [
    'crd-schema-structural',
    'a default that lacks a field',
    crd,
    (spec) =>
      (schemaOf(spec).properties = {
        a: { type: 'object', required: ['b'], properties: { b: { type: 'string' } }, default: {} },
      }),
  ],
  [
    'crd-schema-structural',
    'a rule about nothing',
    crd,
    (spec) =>
      (schemaOf(spec).properties = { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'size > 3' }] } }),
  ],
  [
    'crd-schema-structural',
    'a kind that is no text',
    crd,
    (spec) => (schemaOf(spec).properties = { kind: { type: 'object' } }),
  ],
  [
    'crd-schema-structural',
    'metadata with labels',
    crd,
    (spec) =>
      (schemaOf(spec).properties = { metadata: { type: 'object', properties: { labels: { type: 'object' } } } }),
  ],
  ['crd-names-valid', 'a group of Kubernetes', crd, (spec) => (spec.group = 'things.k8s.io')],
  [
    'crd-schema-structural',
    'a key that is not required',
    crd,
    (spec) =>
      (schemaOf(spec).properties = {
        list: {
          type: 'array',
          items: { type: 'object', properties: { k: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      }),
  ],
];
