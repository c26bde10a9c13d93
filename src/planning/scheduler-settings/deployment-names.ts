/**
 * By which names the objects of a deployed scheduler are found.
 */

/** Label that the objects of every deployment have. */
export const NAME_LABEL = 'app.kubernetes.io/name';
export const SCHEDULER_NAME = 'gantry-scheduler';
/** Key of the configuration file in its ConfigMap. */
export const CONFIGURATION_KEY = 'scheduler.yaml';
