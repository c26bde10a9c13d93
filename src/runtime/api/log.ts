/**
 * Structured logs: one JSON object a line on standard output.
 */
import pino, { type DestinationStream, type Logger } from 'pino';
import { type LogLevel } from '../../planning/scheduler-settings/log-levels';

export type Log = Logger;

/** Written synchronously, so that the last words of a process that is killed are there. */
export function makeLog(level: LogLevel, destination: DestinationStream = pino.destination({ sync: true })): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
