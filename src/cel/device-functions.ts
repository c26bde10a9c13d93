/**
 * The function that selectors of devices add to those of Kubernetes (`dynamic-resource-allocation/cel/compile.go`, from 1.36 on).
 */
import { CelScalar, celMethod, isCelList, type CelFunc } from '@bufbuild/cel';
import { equal } from './kubernetes-functions';

const { BOOL, DYN } = CelScalar;
/** Values of the list attributes of one device. */
const MOST_VALUES = 48;

export const deviceFunctions: readonly CelFunc[] = [
  // An attribute can be one value or a list.
  celMethod('includes', DYN, [DYN], BOOL, function (value) {
    if (!isCelList(this)) {
      return equal(this, value);
    }
    const items = [...this];
    const at = items.findIndex((item) => equal(item, value));
    if (at < 0 ? items.length > MOST_VALUES : at >= MOST_VALUES) {
      throw new Error(`'includes' cannot be applied to lists longer than ${MOST_VALUES} values`);
    }
    return at >= 0;
  }),
];
