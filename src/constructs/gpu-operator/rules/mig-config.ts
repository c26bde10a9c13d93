/**
 * The MIG manager's configuration, and the layouts in it.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { asObject } from '../../../manifests/read';
import { embeddedRule, migConfigsOf, namedMaps, problemRule } from './embedded';

const ROW = 'GO-MIG';
const SPEC = `${cite('mig-parted')}, api/spec/v1/spec.go`;
const REFUSED =
  'The MIG manager rejects the whole file and sets nvidia.com/mig.config.state=failed on every node that it should change.';

export const migConfigRules: readonly Rule[] = [
  problemRule(
    'mig-config-readable',
    {
      row: ROW,
      summary:
        'A MIG configuration must be a mapping of version v1 with at least one named list of entries in mig-configs.',
      why: REFUSED,
      source: SPEC,
      fix: 'Set version: v1, and set mig-configs to named lists of entries.',
    },
    migConfigsOf,
    'shape',
    'version',
  ),

  problemRule(
    'mig-config-key-known',
    {
      row: ROW,
      summary: 'Each key of a MIG configuration must be one that mig-parted reads.',
      why: REFUSED,
      source: SPEC,
      fix: 'Remove the key, or rename it to device-filter, devices, mig-enabled, or mig-devices.',
    },
    migConfigsOf,
    'unknown-key',
  ),

  problemRule(
    'mig-entry-complete',
    {
      row: ROW,
      summary:
        'An entry must set devices (all, or indexes) and mig-enabled, and mig-devices exactly if MIG is enabled.',
      why: REFUSED,
      source: SPEC,
      fix: 'Set devices: all, mig-enabled: true, and mig-devices to a mapping of profiles to counts.',
    },
    migConfigsOf,
    'entry',
  ),

  problemRule(
    'mig-profile-well-formed',
    {
      row: ROW,
      summary: 'Instances must have names of MIG profiles: <slices>g.<memory>gb, with +me, +gfx, +me.all, or -me.',
      why: REFUSED,
      source: `${cite('mig-parted')}, pkg/types/mig_profile.go`,
      fix: 'Rename the key in mig-devices to a MIG profile of the GPU, such as "1g.10gb".',
    },
    migConfigsOf,
    'profile',
  ),

  problemRule(
    'mig-count-valid',
    {
      row: ROW,
      summary: 'Counts of instances must be integers, not negative, and not all zero.',
      why: REFUSED,
      source: `${cite('mig-parted')}, pkg/types/mig_config.go AssertValid`,
      fix: 'Set the count in mig-devices to an integer greater than or equal to 0.',
    },
    migConfigsOf,
    'count',
  ),

  problemRule(
    'mig-layout-fits-gpu',
    {
      row: ROW,
      summary:
        'The instances of an entry must fit on one GPU: compute slices, memory slices, media engines, and maximum counts.',
      why: 'The MIG manager fails halfway, after it has stopped the pods of the node, and sets nvidia.com/mig.config.state=failed.',
      source: `${cite('mig-parted')}, deployments/systemd/config-default.yaml; NVIDIA MIG user guide (slices)`,
      fix: 'Lower a count in mig-devices, or use a smaller profile, so that the instances fit on one GPU.',
    },
    migConfigsOf,
    'layout',
  ),

  embeddedRule(
    'mig-profile-known',
    {
      row: ROW,
      tier: 'advice',
      severity: 'warning',
      summary: 'A known GPU should have all profiles of an entry.',
      why: 'Profiles depend on the GPU: 1g.10gb of an H100 does not exist on an H200, where it is 1g.18gb.',
      source: `${cite('mig-parted')}, deployments/systemd/config-default.yaml`,
      fix: 'Rename the keys in mig-devices to MIG profiles of one GPU model, such as 1g.10gb and 2g.20gb for an A100 with 80 GB.',
    },
    migConfigsOf,
    function* ({ path, reading }) {
      for (const { kind, at, message, found, expected } of reading.problems) {
        if (kind === 'profiles-apart' || kind === 'unknown-profile') {
          // A profile that the catalog does not list may be that of a newer GPU.
          const severity = kind === 'unknown-profile' ? 'info' : 'warning';
          yield { path, severity, message: `${at}: ${message}`, found, expected };
        }
      }
    },
  ),

  embeddedRule(
    'mig-config-has-default',
    {
      row: 'GO7',
      tier: 'advice',
      severity: 'warning',
      summary: 'A MIG configuration that a ClusterPolicy uses must have the default entry all-disabled.',
      why: 'It replaces the built-in file. A node without the label nvidia.com/mig.config gets the default, and there is no such entry.',
      source: `${cite('nvidia-gpu-operator')}, migManager.config.default (all-disabled or empty)`,
      fix: 'Add all-disabled: [{ devices: all, mig-enabled: false }] to mig-configs.',
    },
    migConfigsOf,
    function* ({ path, reading }, manifest, { set }) {
      if (
        !namedMaps(set, 'migManager').has(manifest.id.name) ||
        reading.names.length === 0 ||
        reading.names.includes('all-disabled')
      ) {
        return;
      }
      const emptied = set
        .ofKind('nvidia.com/ClusterPolicy')
        .some(({ object }) => asObject(asObject(asObject(object.spec).migManager).config).default === '');
      if (!emptied) {
        yield {
          path,
          message:
            'mig-configs has no all-disabled entry, which MIG Manager applies to nodes without the label nvidia.com/mig.config',
          found: [...reading.names],
          expected: 'an all-disabled entry',
        };
      }
    },
  ),
];
