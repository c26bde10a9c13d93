/**
 * A rule on the kubelet's file, in whatever form the file is written.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Violation } from '../../../checks/rules/rule';
import { type FileView, fileRule } from './files';

const SOURCE = `${cite('kubernetes')}, pkg/kubelet/apis/config/validation`;
const WHY = 'The kubelet does not start with this file.';

type Facts = Pick<ObjectRule, 'summary' | 'fix'> &
  Partial<Pick<ObjectRule, 'row' | 'tier' | 'severity' | 'why' | 'source'>>;

/** @param facts where a fact is not stated: an error of tier `webhook`, since the kubelet does not start */
export function kubeletRule(
  name: string,
  facts: Facts,
  check: (file: JsonObject, view: FileView) => Iterable<Violation>,
): ObjectRule {
  return fileRule('KubeletConfiguration', name, { row: 'K16', why: WHY, source: SOURCE, ...facts }, (view) =>
    check(view.value, view),
  );
}
