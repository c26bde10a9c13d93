/**
 * The rule about `runner.yaml`: the runner's own reader reads it.
 */
import { type Rule } from '../../../checks/rules/rule';
import { RUNNER_FILE } from '../../../manifests/documents/host-document';
import { readSettings } from '../../../planning/runner-settings/read-settings';
import { SYSTEM_CONFIGURATION } from '../../../planning/runner-settings/settings';
import { fileRule } from '../../node-tuning/rules/files';

export const runnerRules: readonly Rule[] = [
  fileRule(
    RUNNER_FILE,
    'docker/runner-settings-valid',
    {
      row: 'DC12',
      summary: 'The runner must be able to read runner.yaml.',
      why: 'gantry docker serve does not start with such a file; a runner that is restarted stays down, and tasks wait.',
      fix: 'Rename the field of runner.yaml to a known field, or set it to a value of the type that the message names.',
      source: 'gantry docker serve, which reads the file with the same code',
    },
    function* ({ value, name }) {
      for (const { path, message, found, suggestion, fix } of readSettings(value, name, SYSTEM_CONFIGURATION).faults) {
        yield { path, message, found, expected: suggestion, fix };
      }
    },
  ),
];
