/**
 * systemd's units and drop-ins, and OCI runtime specifications, as they are written for GPU nodes.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { type Rule } from '../../../checks/rules/rule';
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
      summary: 'Drop-ins must not be written for the slices of pods (kubepods).',
      why: 'The kubelet creates these slices and rewrites their weights; systemd applies the drop-in at a daemon-reload, which removes GPUs from containers whose devices were injected by the hook.',
      source: 'kubernetes 1.36, cm/qos_container_manager; NVIDIA/nvidia-container-toolkit issue 48',
      fix: 'Remove the setting, and set resource requests in the pods, or kubeReserved and systemReserved in the kubelet configuration.',
    },
    function* ({ name, value }) {
      if (/(^|\/)kubepods[^/]*\.slice(\.d|$)/.test(name)) {
        yield {
          path: pointer('', Object.keys(value)[0] ?? ''),
          message: 'the kubelet manages this slice, and overwrites its settings',
        };
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
      summary: 'Units must use the settings of cgroups v2.',
      why: 'Settings of v1 have no effect on nodes with v2, and newer systemd does not know them; a kubelet of 1.35 does not start on nodes with v1.',
      source: 'systemd.resource-control(5); KEP-5573',
      fix: 'Replace the setting with the cgroups v2 setting, such as CPUWeight=100, which has another scale (1 to 10000).',
    },
    function* ({ value }) {
      for (const [section, settings] of Object.entries(value)) {
        for (const [setting, found] of Object.entries(asObject(settings))) {
          const now = OF_VERSION_1.get(setting);
          if (now !== undefined) {
            yield {
              path: pointer('', section, setting),
              message: `${setting} is a cgroups v1 setting, and has no effect with cgroups v2`,
              found,
              expected: now,
            };
          }
        }
      }
    },
  ),

  fixesByField(
    fileRule(
      'SystemdUnit',
      'unit-weight-within-bounds',
      {
        row: 'C5',
        summary: 'The weights of units must be integers from 1 to 10000; CPUWeight may also be idle.',
        why: 'systemd ignores the line and logs a message.',
        source: 'systemd.resource-control(5)',
        fix: 'Set CPUWeight or IOWeight to an integer from 1 to 10000.',
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
                message: `${setting} must be between 1 and 10000, but is ${found}`,
                found,
                expected: '1 to 10000',
              };
            }
          }
        }
      },
    ),
  ),

  fileRule(
    'SystemdUnit',
    'io-weight-has-scheduler',
    {
      row: 'D6',
      tier: 'advice',
      severity: 'info',
      summary: 'A weight for I/O requires a disk scheduler that uses it.',
      why: 'io.weight has an effect only with BFQ or iocost, and iocost is off by default: the weight guarantees nothing.',
      source: 'Linux, Documentation/admin-guide/cgroup-v2.rst',
      fix: 'Set the I/O scheduler of the disks to bfq in /sys/block/<device>/queue/scheduler, or enable io.cost.qos.',
    },
    function* ({ value }) {
      for (const [section, settings] of Object.entries(value)) {
        const found = asString(asObject(settings).IOWeight);
        if (found !== undefined) {
          yield {
            path: pointer('', section, 'IOWeight'),
            message: 'the weight has an effect only with the I/O scheduler BFQ or with io.cost',
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
      summary: 'The fileMode of a device must be written in decimal, because JSON has no octal numbers: 0666 is 438.',
      why: '666 is read as 01232: the owner can write, and others can write but not read.',
      source: 'OCI runtime-spec 1.3, config-linux (devices); RFC 8259',
      fix: 'Set fileMode to 438 for 0666, or generate the specification with `nvidia-ctk cdi generate`.',
    },
    function* ({ value }) {
      for (const { value: device, path } of itemsOf(asObject(value.linux).devices, '/linux/devices')) {
        const mode = device.fileMode;
        if (typeof mode === 'number' && OCTAL_MODES.includes(mode)) {
          yield {
            path: `${path}/fileMode`,
            message: `fileMode must be a decimal number: ${mode} is 0${mode.toString(8)} in octal`,
            found: mode,
            expected: `${parseInt(`${mode}`, 8)}, which is 0${mode}`,
          };
        }
      }
    },
  ),
];
