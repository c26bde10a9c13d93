/**
 * The web page: the same for everybody, without anything of the runner in it, so that it needs no token.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { renderRunnerPage } from '../../../planning/pages/runner-page';

/** Frames and the `Referer` are decided by headers only; the page's own policy says the rest. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "frame-ancestors 'none'; require-trusted-types-for 'script'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export function asksForPage({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return method === 'GET' && (url === '/' || url?.startsWith('/?') === true);
}

export function sendPage(response: ServerResponse): void {
  const page = renderRunnerPage();
  response.writeHead(200, { ...HEADERS, 'Content-Length': Buffer.byteLength(page) });
  response.end(page);
}
