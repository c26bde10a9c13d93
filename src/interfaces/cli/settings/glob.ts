/**
 * Globs of paths: `*` and `?` within a name, `**` across folders, `{a,b}` for either. A glob without a slash means a name in any folder.
 */

/** Whether a path with slashes matches any of the globs, or lies in a folder that does. */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => new RegExp(`^${patternOf(glob.replace(/^\.\//, ''))}$`));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

export function isGlob(path: string): boolean {
  return /[*?{[]/.test(path);
}

function patternOf(glob: string): string {
  const anywhere = glob.replace(/\/$/, '').includes('/') ? '' : '(?:.*/)?';
  let pattern = anywhere;
  let depth = 0;
  const text = glob.replace(/(?<!\/)\/+$/, '').replace(/\/\*\*$/, '');
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (text.startsWith('**/', at)) {
      pattern += '(?:.*/)?';
      at += 2;
    } else if (text.startsWith('**', at)) {
      pattern += '.*';
      at += 1;
    } else if (character === '*') {
      pattern += '[^/]*';
    } else if (character === '?') {
      pattern += '[^/]';
    } else if (character === '{' && text.includes('}', at)) {
      pattern += '(?:';
      depth++;
    } else if (character === '}' && depth > 0) {
      pattern += ')';
      depth--;
    } else if (character === ',' && depth > 0) {
      pattern += '|';
    } else {
      pattern += character.replace(/[.+^$()|[\]\\{}]/, '\\$&');
    }
  }
  return `${pattern}(?:/.*)?`;
}
