/**
 * Devices go out of service and come back.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceWatch } from '../../../../src/runtime/docker/devices/device-watch';
import { type HostDevice } from '../../../../src/runtime/docker/devices/inventory';
import { parseNvidiaReport } from '../../../../src/runtime/nvidia/nvidia-smi';
import { KernelLog, xidFault, xidOf } from '../../../../src/runtime/docker/devices/xid-log';
import { A100, reportOf } from './recorded';

const faultOf = (more: string): string | undefined => parseNvidiaReport(reportOf({ ...A100, more }))?.gpus[0].fault;

const HEALTHY = `<ecc_errors>
  <volatile><sram_uncorrectable_parity>0</sram_uncorrectable_parity><dram_uncorrectable>0</dram_uncorrectable></volatile>
  <aggregate><dram_uncorrectable>7</dram_uncorrectable></aggregate>
</ecc_errors>
<remapped_rows><remapped_row_pending>No</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></remapped_rows>
<gpu_recovery_action>None</gpu_recovery_action>
<clocks_event_reasons><clocks_event_reason_sw_thermal_slowdown>Active</clocks_event_reason_sw_thermal_slowdown>
<clocks_event_reason_hw_thermal_slowdown>Not Active</clocks_event_reason_hw_thermal_slowdown></clocks_event_reasons>`;

test.each([
  ['healthy, with errors that an earlier reset repaired', HEALTHY, undefined],
  ['nothing known', '<ecc_errors><volatile><double_bit>N/A</double_bit></volatile></ecc_errors>', undefined],
  ['parity', HEALTHY.replace('parity>0', 'parity>2'), '2 uncorrectable memory errors'],
  ['before A100', '<ecc_errors><volatile><double_bit><total>1</total></double_bit></volatile></ecc_errors>', '1 unc'],
  ['pending rows', HEALTHY.replace('pending>No', 'pending>Yes'), 'remapping of memory rows is pending; reset'],
  ['failed rows', HEALTHY.replace('failure>No', 'failure>Yes'), 'could not be remapped; replace'],
  ['recovery', HEALTHY.replace('action>None', 'action>Drain and Reset'), 'the driver asks for: Drain and Reset'],
  ['heat', HEALTHY.replace('>Not Active', '>Active'), 'hardware thermal slowdown'],
  [
    'heat, driver 550',
    HEALTHY.replaceAll('event_reason', 'throttle_reason').replace('>Not Active', '>Active'),
    'thermal',
  ],
  ['retired pages', '<retired_pages><pending_retirement>Yes</pending_retirement></retired_pages>', 'to be retired'],
])('%s', (_, more, expected) => {
  const fault = faultOf(more);
  expect(fault === undefined ? undefined : expected !== undefined && fault.includes(expected)).toBe(
    expected === undefined ? undefined : true,
  );
});

test('an XID names its device in both forms, and only those that need an administrator take it out of service', () => {
  const line =
    "4,1234,56,-;NVRM: Xid (PCI:0000:3B:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
  expect(xidOf(line)).toEqual({ busId: '0000:3b:00.0', code: 79 });
  expect(xidOf('NVRM: Xid (PCI:0000:00:01.0): 48, pid=1')).toEqual({ busId: '0000:00:01.0', code: 48 });
  expect(xidOf('nvidia-nvswitch0: SXid (PCI:0000:00:00.0): 11001, Fatal')).toBeUndefined();
  expect([13, 31, 63].map(xidFault)).toEqual([undefined, undefined, undefined]);
  expect(xidFault(79)).toBe(
    'XID 79 (the GPU has fallen off the bus): drain and reboot the node, then resume the device',
  );
});

test('the kernel log gives each record once, and none that is older than the runner', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'gantry-kmsg-')), 'kmsg');
  writeFileSync(path, 'old\n');
  const log = new KernelLog(path);
  writeFileSync(path, 'new\n', { flag: 'a' });
  expect([log.records(), log.records()]).toEqual([['new\n'], []]);
  log.close();
  expect([log.records(), new KernelLog(`${path}.none`).records()]).toEqual([[], []]);
});

function watching(first: readonly HostDevice[], stated?: readonly HostDevice[]) {
  const state = { found: first, isDescribed: true, records: [] as string[], quarantined: [] as string[], changes: 0 };
  const lines: string[] = [];
  const watch = new DeviceWatch(first, {
    discover: () => Promise.resolve({ devices: state.found, isDescribed: state.isDescribed, use: new Map() }),
    used: () => undefined,
    ...(stated === undefined ? {} : { stated }),
    records: () => state.records.splice(0),
    quarantine: (device, reason) => state.quarantined.push(`${device}: ${reason}`),
    changed: () => state.changes++,
    log: (line) => lines.push(line),
  });
  return { state, watch, lines };
}

const ONE: HostDevice = { id: 'one', busId: '0000:01:00.0' };
const TWO: HostDevice = { id: 'two', busId: '0000:02:00.0' };

test('a device keeps its place: it is lost when it is not listed, comes back, and a new one is added at the end', async () => {
  const { state, watch, lines } = watching([ONE, TWO]);
  state.found = [{ id: 'new' }, TWO];
  await watch.look();
  expect(watch.devices).toEqual([
    { ...ONE, isLost: true, fault: expect.stringContaining('fallen off') as string },
    TWO,
    { id: 'new' },
  ]);
  state.isDescribed = false;
  state.found = [];
  await watch.look();
  expect(watch.devices[0].isLost).toBe(true);
  state.isDescribed = true;
  state.found = [TWO, ONE, { id: 'new' }];
  await watch.look();
  await watch.look();
  expect(watch.devices).toEqual([ONE, TWO, { id: 'new' }]);
  expect(state.changes).toBe(2);
  expect(lines).toEqual([expect.stringMatching(/^device one is out of service/), 'device one is in service']);
});

test('devices that runner.yaml states keep what it says and get the faults that are found', async () => {
  const stated = [{ id: 'two', model: 'X' }, { id: 'elsewhere' }];
  const { state, watch } = watching([ONE, TWO], stated);
  expect(watch.devices).toEqual([{ ...TWO, model: 'X' }, { id: 'elsewhere' }]);
  state.found = [ONE, { ...TWO, model: 'Y', fault: 'hot' }];
  state.records = [
    'NVRM: Xid (PCI:0000:02:00): 79, pid=1',
    'NVRM: Xid (PCI:0000:09:00): 79',
    'NVRM: Xid (PCI:0000:02:00): 13',
  ];
  await watch.look();
  expect(watch.devices[0]).toEqual({ ...TWO, model: 'X', fault: 'hot' });
  expect(state.quarantined).toEqual([expect.stringMatching(/^two: XID 79/)]);
});
