import { IgnoreFile, JsonFile, type Project, TextFile } from 'projen';

/** Widest line of code and text, in characters. */
export const LINE_LENGTH = 120;

/** One formatter for all hand-written TypeScript, and the same settings for editors. */
export class FormatConfig {
  constructor(project: Project) {
    new JsonFile(project, '.prettierrc.json', {
      marker: false,
      obj: { printWidth: LINE_LENGTH, singleQuote: true, trailingComma: 'all' },
    });
    new IgnoreFile(project, '.prettierignore').addPatterns(
      // Everything but TypeScript and JavaScript: prose and fixtures keep the form that they were written in.
      '*',
      '!*/',
      '!*.ts',
      '!*.mjs',
      // Generated.
      '/src/facts/api/types/',
      '/src/facts/api/kind-table.ts',
      '/src/planning/pages/assets.ts',
      '/lib/',
      '/dist/',
      '/.cache/',
      '/vendor/',
    );
    new TextFile(project, '.editorconfig', {
      marker: true,
      lines: [
        'root = true',
        '',
        '[*]',
        'charset = utf-8',
        'end_of_line = lf',
        'indent_size = 2',
        'indent_style = space',
        'insert_final_newline = true',
        `max_line_length = ${LINE_LENGTH}`,
        'trim_trailing_whitespace = true',
        '',
      ],
    });
  }
}
