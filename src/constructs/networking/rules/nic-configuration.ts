/**
 * NC7: what the NIC configuration operator demands of a NicConfigurationTemplate beyond its schema. There is no webhook: a template that fails here
 * is accepted, and its cards are left as they are.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { allOf } from '../../../facts/words';
import { type Manifest } from '../../../manifests/manifest';
import { asArray, asObject, asString } from '../../../manifests/read';
import { certainlyMeet, setRule, specRule, textAt } from './networking-rule';

const TEMPLATE = 'configuration.net.nvidia.com/NicConfigurationTemplate';
const SOURCE = `${cite('nic-configuration-operator')}, README`;

const isEnabled = (template: JsonObject, setting: string): boolean => asObject(template[setting]).enabled === true;

const cardType = specRule(
  'nic-configuration-card-type',
  {
    row: 'NC7',
    tier: 'advice',
    summary: 'nicType of a NicConfigurationTemplate must be a PCI device id: four lowercase hexadecimal digits.',
    why: 'The operator compares it with the device id of each card; a name such as ConnectX-7 matches no card, and nothing is configured.',
    source: SOURCE,
    fix: 'Set nicSelector.nicType to the PCI device ID, such as 1021 for ConnectX-7, 1023 for ConnectX-8, or a2dc for BlueField-3.',
  },
  [TEMPLATE],
  function* (spec) {
    const type = asString(asObject(spec.nicSelector).nicType);
    if (type !== undefined && !/^[0-9a-f]{4}$/.test(type)) {
      yield {
        path: '/spec/nicSelector/nicType',
        message: `"${type}" is not a valid PCI device ID`,
        found: type,
        expected: 'four lowercase hexadecimal digits, such as 1021',
      };
    }
  },
);

const linkFits = specRule(
  'nic-configuration-roce-on-ethernet',
  {
    row: 'NC7',
    summary: 'RoCE settings of a NicConfigurationTemplate require linkType Ethernet.',
    why: 'The operator reports an incorrect spec on each device, and configures none.',
    source: SOURCE,
    fix: 'Remove roceOptimized, or set linkType to Ethernet.',
  },
  [TEMPLATE],
  function* (spec) {
    const template = asObject(spec.template);
    if (isEnabled(template, 'roceOptimized') && template.linkType === 'Infiniband') {
      yield {
        path: '/spec/template/roceOptimized',
        message: 'roceOptimized must not be enabled when linkType is Infiniband',
        expected: 'linkType: Ethernet',
      };
    }
  },
);

const gpuDirect = specRule(
  'nic-configuration-gpu-direct-complete',
  {
    row: 'NC7',
    summary: 'gpuDirectOptimized of a NicConfigurationTemplate requires pciPerformanceOptimized, and env Baremetal.',
    why: 'The operator reports an incorrect spec on each device, and configures none.',
    source: SOURCE,
    fix: 'Set pciPerformanceOptimized.enabled to true, and gpuDirectOptimized.env to Baremetal.',
  },
  [TEMPLATE],
  function* (spec) {
    const template = asObject(spec.template);
    if (!isEnabled(template, 'gpuDirectOptimized')) {
      return;
    }
    if (!isEnabled(template, 'pciPerformanceOptimized')) {
      yield {
        path: '/spec/template/gpuDirectOptimized',
        message: 'gpuDirectOptimized requires pciPerformanceOptimized',
        expected: 'pciPerformanceOptimized.enabled: true',
        fix: 'Set pciPerformanceOptimized.enabled to true.',
      };
    }
    const env = textAt(asObject(template.gpuDirectOptimized), 'env');
    if (env !== 'Baremetal') {
      yield {
        path: '/spec/template/gpuDirectOptimized/env',
        message: `unsupported environment "${env}"`,
        found: env,
        expected: 'Baremetal',
        fix: 'Set gpuDirectOptimized.env to Baremetal.',
      };
    }
  },
);

const trustMode = specRule(
  'nic-configuration-trust-mode',
  {
    row: 'NC7',
    tier: 'advice',
    summary: 'qos.trust of a NicConfigurationTemplate must be dscp or pfc.',
    why: 'The schema accepts any string; the daemon reports an invalid trust mode for any other, and applies no settings of QoS.',
    source: `${cite('nic-configuration-operator')}, pkg/dms/client.go`,
    fix: 'Set qos.trust to dscp.',
  },
  [TEMPLATE],
  function* (spec) {
    const trust = asString(asObject(asObject(asObject(spec.template).roceOptimized).qos).trust);
    if (trust !== undefined && trust !== 'dscp' && trust !== 'pfc') {
      yield {
        path: '/spec/template/roceOptimized/qos/trust',
        message: `unsupported trust mode "${trust}"`,
        found: trust,
        expected: 'dscp or pfc',
      };
    }
  },
);

const resets = specRule(
  'nic-configuration-reset-ignores-template',
  {
    row: 'NC7',
    tier: 'advice',
    severity: 'warning',
    summary: 'A NicConfigurationTemplate with resetToDefault must not set anything else.',
    why: 'The operator resets the cards, reboots their nodes, and ignores the template.',
    source: SOURCE,
    fix: 'Remove resetToDefault after the reset.',
  },
  [TEMPLATE],
  function* (spec) {
    const settings = Object.keys(asObject(spec.template)).filter((key) => key !== 'linkType' && key !== 'numVfs');
    if (spec.resetToDefault === true && settings.length > 0) {
      yield {
        path: '/spec/resetToDefault',
        message: `${allOf(settings)} ${settings.length === 1 ? 'has' : 'have'} no effect when resetToDefault is true`,
        found: true,
        expected: 'no resetToDefault',
      };
    }
  },
);

/** Whether two lists of selected cards have a card in common; a list that is unset selects all. */
function overlap(one: JsonObject, other: JsonObject, key: string): boolean {
  const [first, second] = [asArray(one[key]), asArray(other[key])];
  return first.length === 0 || second.length === 0 || first.some((value) => second.includes(value));
}

function selectSameCard(first: Manifest, second: Manifest): boolean {
  const [one, other] = [asObject(first.object.spec), asObject(second.object.spec)];
  const [cards, others] = [asObject(one.nicSelector), asObject(other.nicSelector)];
  return (
    textAt(cards, 'nicType') !== '' &&
    cards.nicType === others.nicType &&
    certainlyMeet(asObject(one.nodeSelector), asObject(other.nodeSelector)) &&
    overlap(cards, others, 'pciAddresses') &&
    overlap(cards, others, 'serialNumbers')
  );
}

const apart = setRule(
  'nic-configurations-apart',
  {
    row: 'NC7',
    summary: 'Two NicConfigurationTemplates must not select the same card.',
    why: 'The operator applies none of them to the card, and reports the error in their statuses.',
    source: SOURCE,
    fix: 'Change nodeSelector or nicSelector so that the templates select different cards, or merge the templates.',
  },
  function* ({ set }) {
    const templates = set.ofKind(TEMPLATE);
    for (const [index, second] of templates.entries()) {
      const first = templates
        .slice(0, index)
        .find((earlier) => earlier.id.namespace === second.id.namespace && selectSameCard(earlier, second));
      if (first !== undefined) {
        yield {
          manifest: second,
          path: '/spec/nicSelector',
          message: `the template selects cards that the NicConfigurationTemplate "${first.id.name}" also selects`,
          expected: 'one template for each card',
        };
      }
    }
  },
);

export const nicConfigurationRules: readonly Rule[] = [cardType, linkFits, gpuDirect, trustMode, resets, apart];
