/**
 * What `nvidia-smi nvlink --status` prints: the links of each GPU, and the speed of those that are active.
 */

/** @returns active links by the index of the GPU; a GPU without any line about a link is not there */
export function parseNvLinks(text: string): ReadonlyMap<number, number> {
  const active = new Map<number, number>();
  let gpu: number | undefined;
  for (const line of text.split('\n')) {
    const heading = /^GPU (\d{1,4}): /.exec(line);
    const link = /^\s+Link \d{1,3}: (.*)$/.exec(line);
    if (heading !== null) {
      gpu = Number(heading[1]);
    } else if (link !== null && gpu !== undefined) {
      active.set(gpu, (active.get(gpu) ?? 0) + (/^[\d.]+ GB\/s/.test(link[1]) ? 1 : 0));
    }
  }
  return active;
}
