/**
 * By which names the objects of a deployed scheduler, and those of Gantry's other programs, are found.
 */

/** Label that the objects of every deployment have. */
export const NAME_LABEL = 'app.kubernetes.io/name';
export const SCHEDULER_NAME = 'gantry-scheduler';
export const NODE_AGENT_NAME = 'gantry-node-agent';
export const REMEDIATION_NAME = 'gantry-remediation';
/** Key of the configuration file in its ConfigMap. */
export const CONFIGURATION_KEY = 'scheduler.yaml';

/** Key of a segment of the history in its ConfigMap: lines, compressed with gzip. */
export const HISTORY_KEY = 'history.jsonl.gz';
/** The most ConfigMaps that a history may have. */
export const MOST_HISTORY_SEGMENTS = 64;

/** Name of the ConfigMap of a segment of the history. */
export function historySegmentName(scheduler: string, index: number): string {
  return `${scheduler}-history-${index}`;
}
