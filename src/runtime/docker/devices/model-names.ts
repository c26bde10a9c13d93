/**
 * Models as people write them: "H100" is any device that has the word in its name, such as "H100 80GB HBM3" or "H100 PCIe".
 */

/**
 * Whether a device is one of the models that a task allows: all words of one of them are words of the device's model, in any case and order.
 * "A10" is therefore not an "A100", and "L40" not an "L40S".
 */
export function isOfModels(model: string | undefined, models: readonly string[] | undefined): boolean {
  if (models === undefined) {
    return true;
  }
  const words = wordsOf(model ?? '');
  return models.some((asked) => {
    const needed = [...wordsOf(asked)];
    return needed.length > 0 && needed.every((word) => words.has(word));
  });
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
