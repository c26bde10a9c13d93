/** Whether an allocation observes the constraints of its claims; written from the API's description, apart from the search. */
import { type AllocatedDevice, type DeviceConstraint } from '../../../src/placement/model/claims';
import { type World } from './worlds';

export function observesConstraints(world: World, claims: readonly (readonly AllocatedDevice[])[]): boolean {
  return world.claims.every(({ constraints }, index) =>
    constraints.every((constraint) => isObserved(world, constraint, claims[index] ?? [])),
  );
}

function isObserved(
  world: World,
  { kind, attribute, requests }: DeviceConstraint,
  devices: readonly AllocatedDevice[],
): boolean {
  const concerned = devices.filter(
    ({ request }) =>
      requests.length === 0 || requests.includes(request) || requests.includes(request.split('/')[0] ?? ''),
  );
  const values = concerned.map(({ driver, pool, device }) => {
    const found = world.slices
      .filter((slice) => slice.driver === driver && slice.pool === pool)
      .flatMap((slice) => slice.devices)
      .find(({ name }) => name === device);
    const [domain, id = ''] = attribute.split('/');
    const value = found?.attributes.get(attribute) ?? (domain === driver ? found?.attributes.get(id) : undefined);
    return value === undefined ? undefined : String(value.values[0]);
  });
  const different = new Set(values).size;
  return !values.includes(undefined) && (kind === 'match' ? different <= 1 : different === values.length);
}
