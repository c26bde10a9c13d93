/**
 * What claims, device classes, quotas and compute domains mean for each other (rows DR9 to DR11).
 */
import { cite } from '../../../facts/upstream';
import { type RuleContext, type RuleFacts, type SetRule, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString } from '../../../manifests/read';
import { quotaOf } from '../../../checks/server/admission/namespace-policy';
import { itemsOf } from '../../../checks/server/values';
import { deviceClassQuota } from '../dra-facts';
import { CLAIM_KINDS, deviceClassesOf, requestsOf } from './claims';

const GROUP = 'resource.k8s.io';
const DRIVER = cite('nvidia-dra-driver-gpu');
const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';

function setRule(
  name: string,
  facts: Omit<RuleFacts, 'id'>,
  check: (context: RuleContext) => Iterable<Violation & { readonly manifest: Manifest }>,
): SetRule {
  return { ...facts, id: `devices/${name}`, on: 'set', check };
}

export const claimSetRules: readonly SetRule[] = [
  setRule(
    'extended-resource-served-once',
    {
      row: 'DR11',
      tier: 'advice',
      severity: 'warning',
      summary: 'An extended resource must be served by one DeviceClass, or by a device plugin on other nodes.',
      why: 'Of two classes with the same name the newer one wins; on a node where the device plugin serves the same name, both allocate the same GPUs.',
      source: 'kubernetes, KEP-5004 (extended resources by DRA)',
      fix: 'Set spec.extendedResourceName to another name, or disable the device plugin on the nodes of the DRA driver.',
    },
    function* ({ set }) {
      const byName = new Map<string, Manifest>();
      const plugin = set
        .ofKind('nvidia.com/ClusterPolicy')
        .find(({ object }) => asObject(asObject(object.spec).devicePlugin).enabled !== false);
      for (const manifest of set.ofKind(`${GROUP}/DeviceClass`)) {
        const name = asString(asObject(manifest.object.spec).extendedResourceName);
        if (name === undefined) {
          continue;
        }
        const path = '/spec/extendedResourceName';
        const other = byName.get(name);
        if (other !== undefined && other.id.name !== manifest.id.name) {
          yield {
            manifest,
            path,
            message: `the DeviceClass "${other.id.name}" also has extendedResourceName "${name}", and only the newer class is used`,
            found: name,
            fix: 'Set spec.extendedResourceName to a name that no other DeviceClass has.',
          };
        } else if (plugin !== undefined && /^nvidia\.com\/gpu(\.shared)?$/.test(name)) {
          yield {
            manifest,
            path,
            message: `the device plugin of the ClusterPolicy "${plugin.id.name}" also serves ${name}, so both can allocate the same GPU`,
            found: name,
          };
        }
        byName.set(name, other ?? manifest);
      }
    },
  ),

  setRule(
    'quota-counts-claimed-gpus',
    {
      row: 'DR10',
      tier: 'advice',
      severity: 'warning',
      summary: 'A quota that limits GPUs should also limit claimed GPUs, if pods in the namespace use claims.',
      why: 'requests.nvidia.com/gpu counts devices of the device plugin; claims count under the name of their class. Only from 1.36 on, and for a class with that extendedResourceName (such as gpu.nvidia.com), they count as both.',
      source: `${cite('kubernetes')}, pkg/quota/v1/evaluator/core/resource_claims.go addExtendedResourceQuota`,
      fix: 'Add <class>.deviceclass.resource.k8s.io/devices to spec.hard, for example gpu.nvidia.com.deviceclass.resource.k8s.io/devices.',
    },
    function* ({ set, kubernetes }) {
      const countedAsBoth = Number(kubernetes.slice(2)) >= 36;
      for (const manifest of set.ofKind('ResourceQuota')) {
        const keys = Object.keys(asObject(asObject(manifest.object.spec).hard));
        // A quota with a scope counts no claims.
        if (quotaOf(manifest).scoped || !keys.includes('requests.nvidia.com/gpu')) {
          continue;
        }
        const claims = CLAIM_KINDS.flatMap((kind) => set.ofKind(kind, manifest.id.namespace));
        const named = claims.flatMap(deviceClassesOf);
        const classes = new Set(
          named.filter((name) => (name === 'gpu.nvidia.com' && !countedAsBoth) || name === 'mig.nvidia.com'),
        );
        for (const name of classes) {
          const key = deviceClassQuota(name);
          if (!keys.includes(key)) {
            yield {
              manifest,
              path: '/spec/hard',
              message: `the quota limits requests.nvidia.com/gpu, but not claims for the DeviceClass "${name}"`,
              expected: key,
              fix: `Add ${key} to spec.hard.`,
            };
          }
        }
      }
    },
  ),

  setRule(
    'admin-access-in-labeled-namespace',
    {
      row: 'DR2',
      tier: 'server',
      severity: 'error',
      summary: `A request with adminAccess must be in a namespace with the label ${ADMIN_LABEL}: "true".`,
      why: "The API server rejects the claim: access to allocated devices is reserved for administrators' namespaces.",
      source: `${cite('kubernetes')}, pkg/registry/resource/utils.go AuthorizedForAdmin (feature DRAAdminAccess, on from 1.34)`,
      fix: `Add the label ${ADMIN_LABEL}: "true" to the namespace, or remove adminAccess.`,
    },
    function* ({ set, kubernetes }) {
      if (Number(kubernetes.slice(2)) < 34) {
        return;
      }
      for (const manifest of CLAIM_KINDS.flatMap((kind) => set.ofKind(kind))) {
        const namespace = set.get('Namespace', manifest.id.namespace);
        if (asObject(asObject(namespace?.object.metadata).labels)[ADMIN_LABEL] === 'true') {
          continue;
        }
        for (const { value, path } of requestsOf(manifest)) {
          if (value.adminAccess === true) {
            yield {
              manifest,
              path: `${path}/adminAccess`,
              // A namespace of the cluster may have the label.
              ...(namespace === undefined ? { severity: 'warning' as const } : {}),
              message: `adminAccess requires the label ${ADMIN_LABEL}: "true" on the namespace${manifest.id.namespace ? ` "${manifest.id.namespace}"` : ''}`,
              found: true,
              expected: `a namespace with ${ADMIN_LABEL}: "true"`,
            };
          }
        }
      }
    },
  ),

  setRule(
    'compute-domain-template-left-to-driver',
    {
      row: 'DR9',
      tier: 'webhook',
      severity: 'error',
      summary: 'The claim template of a ComputeDomain must be created only by the driver.',
      why: 'The driver finds a template of that name that it did not create, and the domain never becomes ready.',
      source: `${DRIVER}, cmd/compute-domain-controller/resourceclaimtemplate.go`,
      fix: 'Remove the ResourceClaimTemplate, or set spec.channel.resourceClaimTemplate.name of the ComputeDomain to another name.',
    },
    function* ({ set }) {
      for (const { object, id } of set.ofKind('resource.nvidia.com/ComputeDomain')) {
        const name = asString(asObject(asObject(asObject(object.spec).channel).resourceClaimTemplate).name) ?? '';
        const manifest = set.get(`${GROUP}/ResourceClaimTemplate`, name, id.namespace);
        if (manifest !== undefined) {
          yield {
            manifest,
            path: '/metadata/name',
            message: `the DRA driver creates the ResourceClaimTemplate "${name}" for the ComputeDomain "${id.name}", and fails if the template already exists`,
            found: name,
          };
        }
      }
    },
  ),

  setRule(
    'compute-domain-joined',
    {
      row: 'DR9',
      tier: 'advice',
      severity: 'info',
      summary: 'At least one pod in its namespace should join a ComputeDomain, with a claim from its template.',
      why: 'A domain without pods prepares no nodes.',
      source: `${DRIVER}, cmd/compute-domain-controller`,
      fix: 'Add the ResourceClaimTemplate to resourceClaims of the pods, and the claim to resources.claims of their containers.',
    },
    function* ({ set }) {
      if (set.podTemplates.length === 0) {
        return;
      }
      for (const manifest of set.ofKind('resource.nvidia.com/ComputeDomain')) {
        const name = asString(asObject(asObject(asObject(manifest.object.spec).channel).resourceClaimTemplate).name);
        const joined = set.podTemplates.some(
          (template) =>
            template.manifest.id.namespace === manifest.id.namespace &&
            itemsOf(template.spec.resourceClaims, '').some(({ value }) => value.resourceClaimTemplateName === name),
        );
        if (name !== undefined && name !== '' && !joined) {
          yield {
            manifest,
            path: '/spec/channel/resourceClaimTemplate/name',
            message: `no pod in these manifests uses the ResourceClaimTemplate "${name}", so the ComputeDomain prepares no nodes`,
            found: name,
          };
        }
      }
    },
  ),
];
