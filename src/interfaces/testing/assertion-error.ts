/**
 * What a failed expectation throws.
 */

/**
 * An expectation of a test does not hold. The message says what was expected, which object comes closest, and where it differs. Every test
 * runner shows it as a failure at the line of the test.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  /** @param below the method that the test called; the stack begins above it, at the test's own line */
  constructor(message: string, below: (...args: never[]) => unknown) {
    super(message);
    Error.captureStackTrace(this, below);
  }
}
