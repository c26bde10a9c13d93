/**
 * What the SR-IOV operator, NVIDIA's network operator, Multus, CNI plugins, their device plugins and node feature discovery demand beyond
 * their schemas. Rows SN1 to SN8, NC1 to NC7, NAD and NFD of docs/networking.md.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { embeddedRules } from './embedded';
import { nicConfigurationRules } from './nic-configuration';
import { nicPolicyRules } from './nic-policy';
import { nodeFeatureRules } from './node-feature';
import { rdmaRules } from './rdma';
import { sriovFunctionRules } from './sriov-functions';
import { sriovOperatorRules } from './sriov-operator';
import { sriovPolicyRules } from './sriov-policy';

export const networkingRules: readonly Rule[] = seeAllButName(
  [
    ...sriovPolicyRules,
    ...sriovFunctionRules,
    ...sriovOperatorRules,
    ...nicPolicyRules,
    ...nicConfigurationRules,
    ...embeddedRules,
    ...rdmaRules,
    ...nodeFeatureRules,
  ],
  [
    'networking/sriov-function-count-possible',
    'networking/sriov-operator-config-named-default',
    'networking/nic-cluster-policy-named',
    'networking/nic-node-policy-name-short',
  ],
);
