import { type JsonObject, type Schema } from '../../api/schema';
import { type ViolationList } from '../schema/violation-list';

export function checkCelRules(_object: JsonObject, _schema: Schema, _list: ViolationList, _minor: number): void {
  // Filled by the CEL slice.
}
