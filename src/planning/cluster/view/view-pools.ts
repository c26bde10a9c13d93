/**
 * Pools of nodes and how much of each is in use, for the view.
 */
import { type Session } from '../../../placement/books/session';
import { type AmountsDraft, addTo } from '../../../manifests/pods/resource-amounts';
import { type ViewPool } from './view';
import { type NodeViews } from './view-nodes';

export function poolViews({ table }: Session, { poolNames, nodes, rows, resources }: NodeViews): readonly ViewPool[] {
  return poolNames.map((name, pool): ViewPool => {
    const allocatable: AmountsDraft = {};
    const used: AmountsDraft = {};
    const models = new Map<string, number>();
    let [count, unavailable, devices, devicesUsed] = [0, 0, 0, 0];
    nodes.forEach((node, index) => {
      if (node.pool !== pool) {
        return;
      }
      const row = rows[index];
      const own = resources.indexOf(table.deviceResource[row]);
      count++;
      unavailable += node.ready === false || node.cordoned === true ? 1 : 0;
      devices += node.devices.length;
      devicesUsed += own < 0 ? 0 : node.used[own];
      addTo(allocatable, named(resources, node.allocatable));
      addTo(used, named(resources, node.used));
      for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
        const { model } = table.devices[slot];
        if (model !== undefined) {
          models.set(model, (models.get(model) ?? 0) + 1);
        }
      }
    });
    const [model] = [...models].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return {
      name,
      nodes: count,
      unavailable,
      ...(model !== undefined && { model: model[0] }),
      devices,
      devicesUsed,
      allocatable,
      used,
    };
  });
}

function named(resources: readonly string[], amounts: readonly number[]): AmountsDraft {
  return Object.fromEntries(resources.flatMap((name, index) => (amounts[index] === 0 ? [] : [[name, amounts[index]]])));
}
