/**
 * Imports an ES module. In a file of its own, which no bundle contains: Node.js warns of an import in code that was compiled before.
 */
import { pathToFileURL } from 'node:url';

export function importModule(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}
