/** How all TypeScript of the project is formatted; the width also applies to text. */
export const FORMAT = { printWidth: 120, singleQuote: true, trailingComma: 'all' } as const;
