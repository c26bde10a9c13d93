/**
 * How messages name the field at a JSON pointer.
 */
import { fieldOf } from '../../src/manifests/pointer';

test.each([
  ['', 'the object'],
  ['/data', 'data'],
  ['/roleRef/kind', 'roleRef.kind'],
  ['/spec/linkState', 'spec.linkState'],
  ['/spec/containers/0/volumeMounts/12/name', 'volumeMounts[12].name'],
  ['/spec/volumes/3', 'volumes[3]'],
  ['/spec/resources/limits/nvidia.com~1gpu', 'limits["nvidia.com/gpu"]'],
])('the field at "%s" is %s', (path, field) => {
  expect(fieldOf(path)).toBe(field);
});
