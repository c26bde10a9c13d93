/**
 * How an app hands its report to the program that runs it.
 *
 * `gantry synth` runs an app as a child process and wants the findings with their construct paths, which the YAML no longer holds.
 * It names a file in the environment; an app that is checked on synth writes its report there instead of throwing.
 */
import { writeFileSync } from 'node:fs';
import { type Report } from './report';

/** Environment variable that names the file. */
export const REPORT_FILE_VARIABLE = 'GANTRY_REPORT_FILE';

/** Writes the report to the file that the caller requested; false if none was requested. */
export function writeReportFile(report: Report): boolean {
  const file = process.env[REPORT_FILE_VARIABLE];
  if (file === undefined || file === '') {
    return false;
  }
  writeFileSync(file, JSON.stringify(report));
  return true;
}
