/**
 * What device plugins, DRA drivers and vendors' operators demand beyond their schemas, and requests that no node can serve.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { amountRules } from './amounts';
import { claimSetRules } from './claim-sets';
import { claimRules } from './claims';
import { requestRules } from './requests';
import { shareRules } from './shares';
import { vendorRules } from './vendors';

export const deviceRules: readonly Rule[] = seeAllButName([
  ...requestRules,
  ...amountRules,
  ...claimRules,
  ...claimSetRules,
  ...vendorRules,
  ...shareRules,
]);
