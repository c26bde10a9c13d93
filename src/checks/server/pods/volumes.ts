/**
 * The pod's volumes: names, exactly one source each, and that source complete.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule, type RuleContext } from '../../rules/rule';
import { type PodView } from '../pod-view';
import { minorOf, podRule, since } from '../server-rule';
import { dnsLabel } from '../../../manifests/values/name-syntax';
import { given, itemsOf, text } from '../values';
import { checkDownwardFiles, checkMode, checkProjected } from './projections';
import { VOLUME_SOURCES } from './volume-sources';

/** The volumes that a server keeps: before 1.35, it drops those with the source `image`, whose feature gate is off, before it validates. */
function volumesOf(pod: PodView, context: RuleContext): ReturnType<typeof itemsOf> {
  const volumes = itemsOf(pod.spec.volumes, '/spec/volumes');
  return since(context, 35) ? volumes : volumes.filter(({ value }) => !given(value.image));
}

export const volumeRules: readonly Rule[] = [
  podRule(
    'volume-name-valid',
    {
      concerns: ['volumes'],
      summary: 'A volume must have a DNS label as its name, unique in the pod.',
      fix: 'Set volumes[].name to lowercase letters, digits, and "-".',
    },
    (pod, say, context) => {
      const seen = new Set<string>();
      for (const { value, path } of volumesOf(pod, context)) {
        const name = text(value.name);
        const complaint = name === '' ? 'be set' : dnsLabel(name);
        if (complaint !== undefined) {
          say(`${path}/name`, `the volume name ${JSON.stringify(name)} must ${complaint}`);
        }
        if (name !== '' && seen.has(name) && !isReplaced(pod.kind, name, pod.volumes)) {
          say(`${path}/name`, `duplicate volume name "${name}"`);
        }
        seen.add(name);
      }
    },
  ),

  podRule(
    'volume-exactly-one-source',
    {
      concerns: ['volumes'],
      summary: 'A volume must have only one source (default: emptyDir).',
      fix: 'Remove all sources but one from the entry of spec.volumes, or move them to other entries.',
    },
    (pod, say, context) => {
      for (const { value, path } of volumesOf(pod, context)) {
        const sources = [...VOLUME_SOURCES.keys()].filter((source) => given(value[source]));
        if (sources.length > 1) {
          say(
            path,
            `the volume "${text(value.name)}" must have only one source, but has ${sources.length}: ${sources.join(', ')}`,
            {
              expected: 'one source',
            },
          );
        }
      }
    },
  ),

  podRule(
    'volume-source-valid',
    {
      concerns: ['volumes'],
      summary: "A volume's source must set everything that its kind requires.",
      fix: 'Set the missing or invalid field of the source in spec.volumes.',
    },
    (pod, say, context) => {
      const place = { podName: pod.isPod ? text(pod.metadata.name) : '', isPod: pod.isPod };
      for (const { value, path } of volumesOf(pod, context)) {
        const volumeName = text(value.name);
        for (const [kind, check] of VOLUME_SOURCES) {
          const source = value[kind];
          if (!isObject(source)) {
            continue;
          }
          check(source, `${path}/${kind}`, say, { ...place, volumeName });
          break;
        }
      }
    },
  ),

  podRule(
    'volume-files-valid',
    {
      concerns: ['downwardAPI', 'projected'],
      summary: 'The files of a downwardAPI or projected volume must have a source and a path inside the volume.',
      fix: 'Set path and source of the entry in items or sources.',
    },
    (pod, say, context) => {
      for (const { value, path } of volumesOf(pod, context)) {
        if (isObject(value.downwardAPI)) {
          checkMode(value.downwardAPI, `${path}/downwardAPI`, 'defaultMode', say);
          checkDownwardFiles(value.downwardAPI.items, `${path}/downwardAPI/items`, say);
        }
        if (isObject(value.projected)) {
          checkProjected(value.projected, `${path}/projected`, minorOf(context), say);
        }
      }
    },
  ),

  podRule(
    'volume-claim-not-ephemeral',
    {
      concerns: ['ephemeral'],
      summary: 'A volume must not use the claim of an ephemeral volume of the same pod.',
      fix: 'Remove persistentVolumeClaim, and mount the ephemeral volume itself in volumeMounts.',
    },
    (pod, say, context) => {
      const podName = pod.isPod ? text(pod.metadata.name) : '';
      if (podName === '') {
        return;
      }
      const volumes = volumesOf(pod, context);
      const made = new Set(
        volumes.filter(({ value }) => given(value.ephemeral)).map(({ value }) => `${podName}-${text(value.name)}`),
      );
      for (const { value, path } of volumes) {
        const claim = text(asObject(value.persistentVolumeClaim).claimName);
        if (claim !== '' && made.has(claim)) {
          say(
            `${path}/persistentVolumeClaim/claimName`,
            `the claim "${claim}" is reserved for an ephemeral volume of this pod`,
          );
        }
      }
    },
  ),
];

/** A StatefulSet's claim template takes the place of volumes with its name, before the server looks at them. */
function isReplaced(kind: string, name: string, volumes: ReadonlyMap<string, JsonObject>): boolean {
  return kind === 'StatefulSet' && asObject(volumes.get(name)?.persistentVolumeClaim).claimName === name;
}
