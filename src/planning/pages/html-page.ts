/**
 * The shell of every page: one HTML document that holds its style, its code and its data, and asks the network for nothing.
 *
 * The content security policy says so to the browser: only this style and this script, known by their digests, may take effect.
 */
import { createHash } from 'node:crypto';
import { STYLE } from './assets';

export interface HtmlPage {
  readonly title: string;
  /** Code of the page. */
  readonly script: string;
  /** Style beside that of all pages. @default - none */
  readonly style?: string;
  /** What the page shows, as JSON. @default - nothing: the page asks its server */
  readonly data?: unknown;
  /** Address on the page's own server that sends the data, and sends it again when it changes. @default - none */
  readonly events?: string;
  /** The page asks its own server. @default - only if there are `events` */
  readonly asksServer?: boolean;
  /** Words beside the name at the top. */
  readonly kind: string;
  /** The text for readers without JavaScript. */
  readonly summary: string;
}

export function htmlPage(page: HtmlPage): string {
  const { title, script, data, events, kind, summary } = page;
  const isLive = page.asksServer ?? events !== undefined;
  const style = `${STYLE}${page.style ?? ''}`;
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    'img-src data:',
    ...(isLive ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(title)}</title>`,
    `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON.replace('currentColor', '#1b5cc4'))}">`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<div class="page">',
    `<header class="top"><p class="brand">${ICON}<span><b>Gantry</b> ${escaped(kind)}</span></p>` +
      `${isLive ? '<p class="brand live" id="live" role="status">connecting</p>' : ''}</header>`,
    `<main id="view"${events === undefined ? '' : ` data-events="${escaped(events)}"`}><noscript>${escaped(summary)} The rest of this page needs JavaScript.</noscript></main>`,
    '</div>',
    ...(data === undefined ? [] : [`<script type="application/json" id="data">${json(data)}</script>`]),
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18" aria-hidden="true"><g fill="currentColor">' +
  '<path d="M1 2h16v3H1z"/><path d="M2.5 5.5h2.6V17H2.5zM12.9 5.5h2.6V17h-2.6z" opacity=".55"/><path d="M7 8.2h4v4H7zM8.5 5.5h1v2h-1z"/></g></svg>';

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** JSON that cannot end the element that contains it. */
function json(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
