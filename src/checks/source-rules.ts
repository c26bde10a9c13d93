/**
 * What can be wrong with the text of a manifest, before it is a manifest.
 */
import { type SourceProblem } from '../manifests/manifest';
import { type RuleFacts } from './rule';

export const sourceRules: Readonly<Record<SourceProblem['kind'], RuleFacts>> = {
  'duplicate-key': {
    id: 'yaml/unique-keys',
    tier: 'schema',
    severity: 'error',
    summary: 'A mapping names each key once.',
    why: 'A strict server refuses the document; a lenient one keeps the last value and drops the others without a word.',
    source: 'Kubernetes API server, fieldValidation=Strict',
    fix: 'Keep one of the two.',
  },
  syntax: {
    id: 'yaml/syntax',
    tier: 'schema',
    severity: 'error',
    summary: 'The text is YAML or JSON.',
    why: 'Nothing in a document that cannot be read can be applied.',
    source: 'YAML 1.2, JSON (RFC 8259)',
    fix: 'Correct the text at the place named.',
  },
  'not-an-object': {
    id: 'yaml/kubernetes-object',
    tier: 'schema',
    severity: 'error',
    summary: 'A document is an object with apiVersion and kind.',
    why: 'Without both, nobody can tell where it belongs, and kubectl refuses it.',
    source: 'Kubernetes API conventions',
    fix: 'Add apiVersion and kind, or leave the document out.',
  },
  'huge-number': {
    id: 'yaml/number-in-range',
    tier: 'schema',
    severity: 'error',
    summary: 'A number in JSON is not larger than a double holds (about 1.8e308).',
    why: 'The API server cannot read the object; in a quantity of a built-in kind, which it reads as text, it may stand.',
    source: 'Kubernetes API server, decoding of JSON',
    fix: 'Write the number in quotes where a quantity is meant, or a smaller one.',
  },
  'inexact-number': {
    id: 'yaml/exact-integer',
    tier: 'advice',
    severity: 'warning',
    summary: 'An integer has no more digits than every reader of JSON keeps.',
    why: 'Beyond 2^53 many programs, this check among them, see a neighbouring number instead.',
    source: 'RFC 8259, section 6',
    fix: 'Write the value as text where the field takes text, or choose a smaller one.',
  },
};
