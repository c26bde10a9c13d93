import { type Report } from '../report/report';

/**
 * Thrown if a synthesized tree has findings of severity error; `report` contains all of them.
 *
 * @example
 * try {
 *   app.synth();
 * } catch (error) {
 *   if (error instanceof CheckError) {
 *     console.error(error.report.findings.map(({ rule, object }) => `${rule}: ${object}`).join('\n'));
 *   }
 * }
 */
export class CheckError extends Error {
  constructor(
    message: string,
    /** All findings, also those of other severities than error. */
    readonly report: Report,
  ) {
    super(message);
    this.name = 'CheckError';
  }
}
