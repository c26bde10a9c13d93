/**
 * The classes and functions that a program can name, by the name that it writes, for the suggestion where a program without types names
 * something else.
 */
const values = new Map<string, object>();

/** @param name as a program writes it: `volcano.Queue` */
export function addPublicName(name: string, value: object): void {
  values.set(name, value);
}

/** Every public class and function, by its name. */
export function publicNames(): ReadonlyMap<string, object> {
  return values;
}
