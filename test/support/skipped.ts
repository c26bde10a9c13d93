/**
 * The last line of a suite that was skipped in whole or in part.
 */

/**
 * @param reasons why each part cannot run here; `undefined` where it runs
 * @returns the line, `undefined` where everything runs
 */
export function skippedLine(suite: string, reasons: Readonly<Record<string, string | undefined>>): string | undefined {
  const parts = Object.entries(reasons).flatMap(([part, reason]) =>
    reason === undefined ? [] : [`${part} (${reason.replace(/\.$/, '')})`],
  );
  return parts.length === 0 ? undefined : `SKIPPED ${suite}: ${parts.join(', ')}\n`;
}
