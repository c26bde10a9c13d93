/**
 * Kubernetes' own gangs: PodGroup, CompositePodGroup and Workload, in the forms of 1.35 (v1alpha1), 1.36 (v1alpha2) and 1.37 (v1alpha3,
 * v1beta1).
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type Say, objectRule } from '../server-rule';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, whole } from '../values';
import { oneOf } from '../../../facts/words';

const GROUP = 'scheduling.k8s.io';
const SOURCE =
  'apis/scheduling/{v1alpha2,v1beta1}/zz_generated.validations.go, apis/scheduling/validation/validation.go (1.35 to 1.37)';
const MOST_TEMPLATES = 8;
const MOST_CLAIMS = 4;
const DEEPEST = 4;
const HIGHEST_PRIORITY = 1_000_000_000;

export const nativeGangRules: readonly Rule[] = [
  objectRule(
    'pod-group-valid',
    [`${GROUP}/PodGroup`],
    {
      source: SOURCE,
      summary:
        'A native PodGroup must have exactly one scheduling policy, basic or gang, a gang of at least 1, at most one topology level, and complete claims and ' +
        'references.',
      fix: 'Set either basic or gang in spec.schedulingPolicy, and complete spec.podGroupTemplateRef if it is set.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      checkGroup(spec, '/spec', say, text(object.apiVersion));
      if (isObject(spec.podGroupTemplateRef)) {
        const { workload } = spec.podGroupTemplateRef;
        if (!isObject(workload)) {
          say('/spec/podGroupTemplateRef', 'the reference must name a Workload');
        } else {
          checkNames(
            workload,
            '/spec/podGroupTemplateRef/workload',
            { workloadName: dnsSubdomain, podGroupTemplateName: dnsLabel },
            say,
          );
        }
      }
      checkParent(spec, say);
    },
  ),

  objectRule(
    'composite-pod-group-valid',
    [`${GROUP}/CompositePodGroup`],
    {
      source: SOURCE,
      summary:
        'A CompositePodGroup must name the template of its Workload and have exactly one scheduling policy, with a gang of at least 1 group.',
      fix: 'Set workloadName and templateName in spec.workloadRef, and either basic or gang in spec.schedulingPolicy.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      if (!isObject(spec.workloadRef)) {
        say('/spec/workloadRef', 'workloadName and templateName must be set', {
          expected: 'workloadName and templateName',
        });
      }
      checkComposite(spec, '/spec', say, text(object.apiVersion));
      checkParent(spec, say);
    },
  ),

  objectRule(
    'workload-valid',
    [`${GROUP}/Workload`],
    {
      source: SOURCE,
      summary:
        'A native Workload must have 1 to 8 pod groups (or templates of them, or of composite groups at most 4 deep) with unique names, one policy ' +
        'each, and one priority.',
      fix: 'Set name and schedulingPolicy of each entry in spec.podGroups.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const apiVersion = text(object.apiVersion);
      const field = apiVersion.endsWith('/v1alpha1') ? 'podGroups' : 'podGroupTemplates';
      const [plain, composite] = [size(spec[field]), size(spec.compositePodGroupTemplates)];
      if (plain + composite === 0) {
        say(`/spec/${field}`, `the workload must have ${field}`, { expected: 'at least one' });
      }
      if (plain > 0 && composite > 0) {
        say('/spec', `${field} and compositePodGroupTemplates must not be set together`, {
          expected: 'one of the two',
        });
      }
      checkTemplates(spec, '/spec', field, say, { apiVersion, names: new Set(), depth: 0 });
      const priorities = new Set(prioritiesIn(spec, field));
      if (composite > 0 && priorities.size > 1) {
        say('/spec', 'the templates must have the same priority', { expected: 'one priority in all templates' });
      }
      if (isObject(spec.controllerRef)) {
        checkController(spec.controllerRef, say);
      }
    },
  ),
];

/** A parent is one of the Workload that the group is of. */
function checkParent(spec: JsonObject, say: Say): void {
  const { workloadRef } = spec;
  if (isObject(workloadRef)) {
    checkNames(workloadRef, '/spec/workloadRef', { workloadName: dnsSubdomain, templateName: dnsLabel }, say);
  }
  if (!given(spec.parentCompositePodGroupName)) {
    return;
  }
  const bad = dnsSubdomain(text(spec.parentCompositePodGroupName));
  if (bad !== undefined) {
    say('/spec/parentCompositePodGroupName', `the parent name must ${bad}`);
  }
  if (!isObject(workloadRef)) {
    say('/spec/workloadRef', 'a group with a parent must set workloadName and templateName', {
      expected: 'workloadName and templateName',
    });
  }
}

function checkNames(
  reference: JsonObject,
  path: string,
  grammars: Readonly<Record<string, (name: string) => string | undefined>>,
  say: Say,
): void {
  for (const [field, valid] of Object.entries(grammars)) {
    const bad = text(reference[field]) === '' ? 'be set' : valid(text(reference[field]));
    if (bad !== undefined) {
      say(`${path}/${field}`, `${field} must ${bad}`);
    }
  }
}

interface Tree {
  readonly apiVersion: string;
  /** Of all templates so far. */
  readonly names: Set<string>;
  readonly depth: number;
}

function checkTemplates(holder: JsonObject, path: string, field: string, say: Say, tree: Tree): void {
  for (const list of [field, 'compositePodGroupTemplates']) {
    const templates = itemsOf(holder[list], `${path}/${list}`);
    if (templates.length > MOST_TEMPLATES) {
      say(`${path}/${list}`, `${list} must have at most ${MOST_TEMPLATES} groups, but has ${templates.length}`, {
        expected: `at most ${MOST_TEMPLATES}`,
      });
    }
    for (const template of templates) {
      const name = text(template.value.name);
      const bad = name === '' ? 'be set' : dnsLabel(name);
      if (bad !== undefined) {
        say(`${template.path}/name`, `the group name must ${bad}`);
      }
      if (tree.names.has(name)) {
        say(`${template.path}/name`, 'duplicate group name');
      }
      tree.names.add(name);
      if (list === field) {
        checkGroup(template.value, template.path, say, tree.apiVersion);
      } else {
        checkCompositeTemplate(template.value, template.path, say, { ...tree, depth: tree.depth + 1 });
      }
    }
  }
}

function checkCompositeTemplate(template: JsonObject, path: string, say: Say, tree: Tree): void {
  checkComposite(template, path, say, tree.apiVersion);
  if (tree.depth > DEEPEST) {
    say(path, `the templates must not be nested more than ${DEEPEST} levels deep`);
  }
  if (size(template.podGroupTemplates) + size(template.compositePodGroupTemplates) === 0) {
    say(path, 'the composite group must have groups', { expected: 'at least one group' });
  }
  if (tree.depth <= DEEPEST) {
    checkTemplates(template, path, 'podGroupTemplates', say, tree);
  }
}

function* prioritiesIn(holder: JsonObject, field: string): Iterable<string> {
  for (const list of [field, 'compositePodGroupTemplates']) {
    for (const { value } of itemsOf(holder[list], '')) {
      yield `${text(value.priorityClassName)} ${String(whole(value.priority))}`;
      yield* prioritiesIn(value, 'podGroupTemplates');
    }
  }
}

function checkController(reference: JsonObject, say: Say): void {
  const group = text(reference.apiGroup) === '' ? undefined : dnsSubdomain(text(reference.apiGroup));
  if (group !== undefined) {
    say('/spec/controllerRef/apiGroup', `the API group must ${group}`);
  }
  for (const part of ['kind', 'name']) {
    const value = text(reference[part]);
    if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
      say(`/spec/controllerRef/${part}`, `the controller ${part} must be set and must not contain "/" or "%"`);
    }
  }
}

function checkGroup(group: JsonObject, path: string, say: Say, apiVersion: string): void {
  const first = apiVersion.endsWith('/v1alpha1');
  checkPolicy(
    group,
    `${path}/${first ? 'policy' : 'schedulingPolicy'}`,
    first ? 'policy' : 'schedulingPolicy',
    'minCount',
    say,
  );
  if (!first) {
    checkShared(group, path, say, apiVersion);
  }
}

function checkComposite(group: JsonObject, path: string, say: Say, apiVersion: string): void {
  checkPolicy(group, `${path}/schedulingPolicy`, 'schedulingPolicy', 'minGroupCount', say);
  checkShared(group, path, say, apiVersion);
}

function checkPolicy(group: JsonObject, path: string, field: string, count: string, say: Say): void {
  const policy = asObject(group[field]);
  const kinds = ['basic', 'gang'].filter((kind) => given(policy[kind]));
  if (kinds.length !== 1) {
    const message =
      kinds.length === 0 ? 'the group must have a scheduling policy' : 'the group must have only one scheduling policy';
    say(path, message, { expected: 'basic or gang' });
  }
  if (isObject(policy.gang) && (whole(policy.gang[count]) ?? 0) < 1) {
    say(`${path}/gang/${count}`, `${count} must be greater than 0`, { expected: 'at least 1' });
  }
}

/** What groups of 1.36 and later have in common. */
function checkShared(group: JsonObject, path: string, say: Say, apiVersion: string): void {
  const levels = itemsOf(asObject(group.schedulingConstraints).topology, `${path}/schedulingConstraints/topology`);
  if (levels.length > 1) {
    say(
      `${path}/schedulingConstraints/topology`,
      `only one topology level is allowed, but there are ${levels.length}`,
      { expected: 'one at most' },
    );
  }
  for (const { value, path: level } of levels) {
    const bad = text(value.key) === '' ? 'be set' : qualifiedName(text(value.key));
    if (bad !== undefined) {
      say(`${level}/key`, `the node label must ${bad}`);
    }
  }
  const priority = whole(group.priority);
  if (priority !== undefined && priority > HIGHEST_PRIORITY) {
    say(`${path}/priority`, `priority must be less than or equal to ${HIGHEST_PRIORITY}, but is ${priority}`, {
      expected: `at most ${HIGHEST_PRIORITY}`,
    });
  }
  const className = text(group.priorityClassName);
  const bad = className === '' ? undefined : dnsSubdomain(className);
  if (bad !== undefined) {
    say(`${path}/priorityClassName`, `priorityClassName must ${bad}`);
  }
  checkDisruption(group.disruptionMode, `${path}/disruptionMode`, say, apiVersion);
  checkClaims(group.resourceClaims, `${path}/resourceClaims`, say);
}

/** A word in 1.36, a choice of two objects after it. */
function checkDisruption(mode: JsonValue | undefined, path: string, say: Say, apiVersion: string): void {
  if (!given(mode)) {
    return;
  }
  if (apiVersion.endsWith('/v1alpha2')) {
    const words = ['Pod', 'PodGroup'];
    if (typeof mode === 'string' && !words.includes(mode)) {
      say(path, `unsupported mode "${mode}"`, { expected: oneOf(words) });
    }
    return;
  }
  if (isObject(mode) && [mode.single, mode.all].filter(given).length !== 1) {
    say(path, 'exactly one of single and all must be set', { expected: 'single or all' });
  }
}

function checkClaims(claims: JsonValue | undefined, path: string, say: Say): void {
  if (size(claims) > MOST_CLAIMS) {
    say(path, `the group must not have more than ${MOST_CLAIMS} claims`, { found: size(claims) });
  }
  for (const { value, path: claim } of itemsOf(claims, path)) {
    const bad = text(value.name) === '' ? 'be set' : dnsLabel(text(value.name));
    if (bad !== undefined) {
      say(`${claim}/name`, `the claim name must ${bad}`);
    }
    const sources = ['resourceClaimName', 'resourceClaimTemplateName'].filter((field) => given(value[field]));
    if (sources.length !== 1) {
      say(claim, 'exactly one of resourceClaimName and resourceClaimTemplateName must be set', {
        expected: 'resourceClaimName or resourceClaimTemplateName',
      });
    }
    for (const field of sources) {
      const complaint = dnsSubdomain(text(value[field]));
      if (complaint !== undefined) {
        say(`${claim}/${field}`, `${field} must ${complaint}`);
      }
    }
  }
}
