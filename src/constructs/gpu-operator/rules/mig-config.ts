/**
 * The MIG manager's configuration, and the layouts in it.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rule';
import { asObject } from '../../../manifests/read';
import { embeddedRule, migConfigsOf, namedMaps, problemRule } from './embedded';

const ROW = 'GO-MIG';
const SPEC = `${cite('mig-parted')}, api/spec/v1/spec.go`;
const REFUSED =
  'The MIG manager refuses the whole file and sets nvidia.com/mig.config.state=failed on every node that it should change.';

export const migConfigRules: readonly Rule[] = [
  problemRule(
    'mig-config-readable',
    {
      row: ROW,
      summary:
        'A MIG configuration is a mapping of version v1 with at least one named list of entries under mig-configs.',
      why: REFUSED,
      source: SPEC,
      fix: 'Write version: v1 and mig-configs.',
    },
    migConfigsOf,
    'shape',
    'version',
  ),

  problemRule(
    'mig-config-key-known',
    {
      row: ROW,
      summary: 'Each key of a MIG configuration is one that mig-parted knows.',
      why: REFUSED,
      source: SPEC,
      fix: 'Correct the key, or take it out.',
    },
    migConfigsOf,
    'unknown-key',
  ),

  problemRule(
    'mig-entry-complete',
    {
      row: ROW,
      summary: 'An entry names devices (all, or indexes) and mig-enabled, and mig-devices exactly where MIG is on.',
      why: REFUSED,
      source: SPEC,
      fix: 'Write devices: all, mig-enabled: true and mig-devices with counts by profile.',
    },
    migConfigsOf,
    'entry',
  ),

  problemRule(
    'mig-profile-well-formed',
    {
      row: ROW,
      summary: 'Instances are named by MIG profiles: <slices>g.<memory>gb, with +me, +gfx, +me.all or -me.',
      why: REFUSED,
      source: `${cite('mig-parted')}, pkg/types/mig_profile.go`,
      fix: 'Use a profile of the GPU; gantry catalog lists them.',
    },
    migConfigsOf,
    'profile',
  ),

  problemRule(
    'mig-count-valid',
    {
      row: ROW,
      summary: 'Counts of instances are whole numbers, not negative, and not all zero.',
      why: REFUSED,
      source: `${cite('mig-parted')}, pkg/types/mig_config.go AssertValid`,
      fix: 'Correct the count.',
    },
    migConfigsOf,
    'count',
  ),

  problemRule(
    'mig-layout-fits-gpu',
    {
      row: ROW,
      summary:
        'The instances of an entry fit on one GPU together: compute slices, memory slices, media engines and greatest counts.',
      why: 'The MIG manager fails half way, with the pods of the node already stopped, and sets nvidia.com/mig.config.state=failed.',
      source: `${cite('mig-parted')}, deployments/systemd/config-default.yaml; NVIDIA MIG user guide (slices)`,
      fix: 'Take an instance out, or a smaller profile: two of 3g leave no memory slice for a third.',
    },
    migConfigsOf,
    'layout',
  ),

  problemRule(
    'mig-profile-known',
    {
      row: ROW,
      tier: 'advice',
      severity: 'warning',
      summary: 'The profiles of an entry exist together on a GPU of the catalog.',
      why: 'Profiles are those of one GPU: 1g.10gb of an H100 is none of an H200, where it is 1g.18gb.',
      source: `${cite('mig-parted')}, deployments/systemd/config-default.yaml`,
      fix: 'Use the profiles of the GPU; gantry catalog lists them.',
    },
    migConfigsOf,
    'unknown-profile',
  ),

  embeddedRule(
    'mig-config-has-default',
    {
      row: 'GO7',
      tier: 'advice',
      severity: 'warning',
      summary: 'A MIG configuration that a ClusterPolicy names has the default entry all-disabled.',
      why: 'It takes the place of the built-in file. A node without the label nvidia.com/mig.config gets the default, and finds no such entry.',
      source: `${cite('nvidia-gpu-operator')}, migManager.config.default (all-disabled or empty)`,
      fix: 'Add all-disabled: [{ devices: all, mig-enabled: false }].',
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
          message: 'mig-configs has no entry all-disabled',
          found: [...reading.names],
          expected: 'all-disabled beside them',
        };
      }
    },
  ),
];
