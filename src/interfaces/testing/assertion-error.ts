/**
 * What a failed expectation throws.
 */

/**
 * An expectation of a test does not hold. The message says what was expected, which object comes closest, and where it differs. Every test
 * runner shows it as a failure at the line of the test.
 *
 * @example
 * const template = Template.fromChart(chart);
 * expect(() => template.resourceCountIs('PyTorchJob', 1)).toThrow(TemplateError);
 */
export class TemplateError extends Error {
  /** Always `TemplateError`. */
  override readonly name = 'TemplateError';

  /**
   * @param subject the object that the test asks
   * @param method its method that the test called: the stack begins above it, at the test's own line
   */
  constructor(message: string, subject: object, method: string) {
    super(message);
    Error.captureStackTrace(this, Reflect.get(subject, method) as () => void);
  }
}
