/**
 * Fields that the API server of the checked minor version drops, as rules.
 */
import { kindKey } from '../../manifests/identity';
import { fieldOf } from '../../manifests/pointer';
import { type Rule, type RuleContext } from '../rules/rule';
import { droppedFrom, GATED_FIELDS, type GatedField } from './gated-fields';
import { minorOf, objectRule, podRule, type RuleTexts, type Say } from './server-rule';

const WHY =
  'The API server drops the field without an error: the object is stored, and works as if the field were unset.';

const names = (fields: readonly GatedField[]): readonly string[] => [
  ...new Set(fields.map(({ path }) => path.split('/').at(-1) ?? '')),
];

function texts(what: string, fields: readonly GatedField[], source: string): RuleTexts {
  return {
    summary: `${what} should be set only if its feature gate is on by default in the Kubernetes version.`,
    fix: `Remove the field, for example ${names(fields).at(-1)}, or upgrade to a version of Kubernetes in which its feature gate is on by default.`,
    why: WHY,
    concerns: names(fields),
    source,
  };
}

function sayDropped(dropped: ReturnType<typeof droppedFrom>, say: Say, { set }: RuleContext): void {
  for (const { path, field } of dropped) {
    const { gate, since, onlyWith, enabledWith = [] } = field;
    if (enabledWith.some((kind) => set.ofKind(kind).length > 0)) {
      continue;
    }
    const version = since === undefined ? undefined : `Kubernetes 1.${since}`;
    const until = version === undefined ? '' : ` before ${version}`;
    const because = onlyWith === undefined ? '' : `, because its ${onlyWith} is set`;
    const removed = onlyWith === undefined ? fieldOf(path) : fieldOf(`${path}/${onlyWith}`);
    say(path, `${fieldOf(path)} has no effect${because}: the feature gate ${gate} is off by default${until}`, {
      severity: 'warning',
      found: null,
      fix:
        version === undefined
          ? `Remove ${removed}, or turn on the feature gate ${gate}.`
          : `Remove ${removed}, turn on the feature gate ${gate}, or upgrade to ${version}.`,
    });
  }
}

const ofPods = GATED_FIELDS.filter(({ of }) => of === 'pod');
const ofObjects = GATED_FIELDS.filter(({ of }) => of !== 'pod');

export const gatedFieldRules: readonly Rule[] = [
  {
    ...podRule(
      'pod-field-enabled',
      texts('A field of a pod', ofPods, 'api/pod/util.go (dropDisabledFields); features/kube_features.go'),
      ({ template }, say, context) =>
        sayDropped(droppedFrom('pod', { spec: template.spec }, minorOf(context)), say, context),
    ),
    severity: 'warning',
  },
  {
    ...objectRule(
      'field-enabled',
      [...new Set(ofObjects.map(({ of }) => of))],
      texts('A field', ofObjects, 'features/kube_features.go; registry, strategy.go of each kind'),
      (object, say, context, { id }) => sayDropped(droppedFrom(kindKey(id), object, minorOf(context)), say, context),
    ),
    severity: 'warning',
  },
];
