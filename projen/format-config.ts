import { JsonFile, type Project, TextFile } from 'projen';
import { FORMAT } from './format';

/** One formatter for all hand-written TypeScript, and the same settings for editors. */
export class FormatConfig {
  constructor(project: Project) {
    new JsonFile(project, '.oxfmtrc.json', {
      marker: false,
      obj: {
        ...FORMAT,
        ignorePatterns: [
          // Everything but TypeScript and JavaScript: prose and fixtures keep the form that they were written in.
          '*',
          '!*/',
          '!*.ts',
          '!*.mjs',
          // Generated.
          'src/facts/api/types/**',
          'src/facts/api/kind-table.ts',
          'src/planning/pages/*assets.ts',
          'lib/**',
          'dist/**',
          '.cache/**',
          'vendor/**',
        ],
      },
    });
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
        `max_line_length = ${FORMAT.printWidth}`,
        'trim_trailing_whitespace = true',
        '',
      ],
    });
  }
}
