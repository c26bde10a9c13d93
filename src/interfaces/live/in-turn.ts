/**
 * Many requests, a few at a time.
 */

/** Requests that are under way at the same time. */
const AT_ONCE = 4;

/** The results in the order of the inputs. */
export async function inTurn<T, R>(inputs: readonly T[], work: (input: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < inputs.length) {
      const index = next++;
      results[index] = await work(inputs[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, inputs.length) }, worker));
  return results;
}
