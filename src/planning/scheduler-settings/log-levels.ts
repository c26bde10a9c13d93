/** How much is logged; apart from the logger, so that whoever only reads a configuration does not load it. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
