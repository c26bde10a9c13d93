/**
 * The settings of a queue in files: cluster files set them, and scenarios change them.
 */
import { type Queue } from '../../../placement';
import { type Fields } from './fields';

/** All of a queue but its name and its place in the tree. */
export type QueueTerms = Partial<
  Pick<Queue, 'weight' | 'deserved' | 'guarantee' | 'capability' | 'priority' | 'reclaimable' | 'state'>
>;

/** @param device resource that `gpus` represents */
export function readQueueTerms(fields: Fields, device: string): QueueTerms {
  const terms: QueueTerms = {
    weight: fields.number('weight', { least: 0 }),
    deserved: fields.amounts('deserved', device),
    guarantee: fields.amounts('guarantee', device),
    capability: fields.amounts('capability', device),
    priority: fields.number('priority', { whole: true }),
    reclaimable: fields.flag('reclaimable'),
    state: fields.oneOf('state', ['open', 'closed']),
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}

/** A queue with its name and its parent. Reports invalid and unknown fields. */
export function readQueue(fields: Fields, device: string): Queue {
  const [name, parent] = [fields.required('name'), fields.text('parent')];
  const queue = { name, ...(parent === undefined ? {} : { parent }), ...readQueueTerms(fields, device) };
  fields.done();
  return queue;
}
