/**
 * Names that Volcano's chart gives to what it installs.
 */

/** The key of the ConfigMap under which the chart mounts the configuration of the scheduler. */
export const SCHEDULER_CONF_KEY = 'volcano-scheduler.conf';
