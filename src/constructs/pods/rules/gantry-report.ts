/**
 * Reports of nodes about their accelerators. The node agent writes them; one that another program or a user writes must have the same form.
 */
import { type ObjectRule } from '../../../checks/rules/rule';
import { GANTRY_ACCELERATOR_CAPACITY } from '../../../facts/catalog';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { readCapacityReport } from '../../../placement/nodes/capacity-report';

export const capacityReportReadable: ObjectRule = {
  id: 'scheduling/gantry-capacity-report-readable',
  row: 'GS2',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: ['Node'],
  summary: 'The annotation gantry.dev/accelerator-capacity of a Node must be a report that Gantry reads.',
  why: 'Gantry ignores a report that it cannot read: full or busy devices get pods, as if nothing was reported.',
  source: 'Gantry, docs/agent.md',
  fix: 'Remove the annotation, which the node agent writes, or correct it to {"at": time, "devices": [{"index": 0}]}.',
  *check({ object }) {
    const text = asString(asObject(asObject(object.metadata).annotations)[GANTRY_ACCELERATOR_CAPACITY]);
    const read = text === undefined ? undefined : readCapacityReport(text);
    if (read !== undefined && 'problem' in read) {
      const { at, expected } = read.problem;
      yield {
        path: pointer('/metadata/annotations', GANTRY_ACCELERATOR_CAPACITY),
        message: at === '' ? 'the report of the node agent cannot be read' : `${at} of the report cannot be read`,
        found: text,
        expected,
        fix: `Set ${at === '' ? `annotations["${GANTRY_ACCELERATOR_CAPACITY}"]` : `${at} of the report`} to ${expected}, or remove the annotation.`,
      };
    }
  },
};
