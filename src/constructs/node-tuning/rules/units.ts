/**
 * systemd's units and drop-ins, and OCI runtime specifications, as they are written for GPU nodes.
 */
import { type Rule } from '../../../checks/rule';
import { itemsOf } from '../../../checks/server/values';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { fileRule } from './files';

/** Settings of cgroups version 1, and what says the same today. */
const OF_VERSION_1: ReadonlyMap<string, string> = new Map([
  ['CPUShares', 'CPUWeight'],
  ['StartupCPUShares', 'StartupCPUWeight'],
  ['MemoryLimit', 'MemoryMax'],
  ['BlockIOAccounting', 'IOAccounting'],
  ['BlockIOWeight', 'IOWeight'],
  ['StartupBlockIOWeight', 'StartupIOWeight'],
  ['BlockIODeviceWeight', 'IODeviceWeight'],
  ['BlockIOReadBandwidth', 'IOReadBandwidthMax'],
  ['BlockIOWriteBandwidth', 'IOWriteBandwidthMax'],
]);
const WEIGHTS: readonly string[] = ['CPUWeight', 'StartupCPUWeight', 'IOWeight', 'StartupIOWeight'];
/** Modes as people write them, in octal digits, and read as decimal by JSON. */
const OCTAL_MODES: readonly number[] = [400, 440, 444, 600, 640, 644, 660, 664, 666, 700, 750, 755, 770, 775, 777];

export const unitRules: readonly Rule[] = [
  fileRule(
    'SystemdUnit',
    'slice-of-pods-left-to-kubelet',
    {
      row: 'C5',
      tier: 'advice',
      severity: 'warning',
      summary: 'No drop-in is written for the slices of pods (kubepods).',
      why: 'The kubelet makes these slices and writes their weights again and again; systemd applies the drop-in at a daemon-reload, which takes GPUs away from containers whose devices came by the hook.',
      source: 'kubernetes 1.36, cm/qos_container_manager; NVIDIA/nvidia-container-toolkit issue 48',
      fix: 'Use the requests of pods, kubeReserved and systemReserved with their cgroups; put what must stay into the node image.',
    },
    function* ({ name, value }) {
      if (/(^|\/)kubepods[^/]*\.slice(\.d|$)/.test(name)) {
        yield { path: pointer('', Object.keys(value)[0] ?? ''), message: 'the slice belongs to the kubelet' };
      }
    },
  ),

  fileRule(
    'SystemdUnit',
    'unit-setting-of-cgroup-v2',
    {
      row: 'C7',
      tier: 'advice',
      severity: 'warning',
      summary: 'Units use the settings of cgroups version 2.',
      why: 'Settings of version 1 do nothing on nodes of version 2, and newer systemd does not know them at all; a kubelet of 1.35 refuses to start on nodes of version 1.',
      source: 'systemd.resource-control(5); KEP-5573',
      fix: 'Use the setting of version 2; its scale is another one (1 to 10000, 100 by default).',
    },
    function* ({ value }) {
      for (const [section, settings] of Object.entries(value)) {
        for (const [setting, found] of Object.entries(asObject(settings))) {
          const now = OF_VERSION_1.get(setting);
          if (now !== undefined) {
            yield {
              path: pointer('', section, setting),
              message: `${setting} is of cgroups version 1`,
              found,
              expected: now,
            };
          }
        }
      }
    },
  ),

  fileRule(
    'SystemdUnit',
    'unit-weight-within-bounds',
    {
      row: 'C5',
      summary: 'Weights of units are whole numbers from 1 to 10000; CPUWeight may be idle.',
      why: 'systemd passes the line over with a message in the log.',
      source: 'systemd.resource-control(5)',
      fix: 'Correct the number.',
    },
    function* ({ value }) {
      for (const [section, settings] of Object.entries(value)) {
        for (const setting of WEIGHTS) {
          const found = asString(asObject(settings)[setting]);
          if (found === undefined || found === '' || (found === 'idle' && setting.endsWith('CPUWeight'))) {
            continue;
          }
          if (!/^\d+$/.test(found) || Number(found) < 1 || Number(found) > 10_000) {
            yield {
              path: pointer('', section, setting),
              message: `${setting}=${found} is not possible`,
              found,
              expected: '1 to 10000',
            };
          }
        }
      }
    },
  ),

  fileRule(
    'SystemdUnit',
    'io-weight-has-scheduler',
    {
      row: 'D6',
      tier: 'advice',
      severity: 'info',
      summary: 'A weight for I/O goes with a disk whose scheduler heeds it.',
      why: 'io.weight does something under BFQ or with iocost only, and iocost is off by default: the weight guarantees nothing.',
      source: 'Linux, Documentation/admin-guide/cgroup-v2.rst',
      fix: 'Look at /sys/block/*/queue/scheduler and io.cost.qos of the nodes first.',
    },
    function* ({ value }) {
      for (const [section, settings] of Object.entries(value)) {
        const found = asString(asObject(settings).IOWeight);
        if (found !== undefined) {
          yield {
            path: pointer('', section, 'IOWeight'),
            message: 'the weight does something under BFQ or iocost only',
            found,
          };
        }
      }
    },
  ),

  fileRule(
    'OciRuntimeSpec',
    'oci-file-mode-decimal',
    {
      row: 'D14',
      tier: 'advice',
      severity: 'error',
      summary: 'The fileMode of a device is written in decimal, as JSON has no octal numbers: 0666 is 438.',
      why: '666 is read as 01232: its owner may write, others may write and not read.',
      source: 'OCI runtime-spec 1.3, config-linux (devices); RFC 8259',
      fix: 'Write 438 for 0666; better, let `nvidia-ctk cdi generate` write device specifications.',
    },
    function* ({ value }) {
      for (const { value: device, path } of itemsOf(asObject(value.linux).devices, '/linux/devices')) {
        const mode = device.fileMode;
        if (typeof mode === 'number' && OCTAL_MODES.includes(mode)) {
          yield {
            path: `${path}/fileMode`,
            message: `${mode} is 0${mode.toString(8)} in octal`,
            found: mode,
            expected: `${parseInt(`${mode}`, 8)}, which is 0${mode}`,
          };
        }
      }
    },
  ),
];
