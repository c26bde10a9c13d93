/**
 * Requests and answers as JSON over HTTP.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type JsonValue } from '../../../facts/api/schema';
import { EngineError } from '../engine/engine-error';
import { RunnerError, type RunnerErrorCode } from '../runner-error';

const STATUS: Readonly<Record<RunnerErrorCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'disk-full': 507,
  unavailable: 503,
};
const LONGEST_BODY = 4 * 1024 * 1024;

/** @throws RunnerError if it is too long or not JSON */
export async function bodyOf(request: IncomingMessage): Promise<JsonValue> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LONGEST_BODY) {
      throw new RunnerError(`the request is larger than ${LONGEST_BODY} bytes`, undefined, 'invalid');
    }
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonValue;
  } catch {
    throw new RunnerError('the request is not JSON', undefined, 'invalid');
  }
}

export function send(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value), 'application/json');
}

export function sendText(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers with the error, or breaks off an answer that has begun. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof RunnerError) {
    send(response, STATUS[error.code], { error: error.line, code: error.code });
  } else if (error instanceof EngineError) {
    send(response, 502, { error: error.message, code: 'unavailable' });
  } else {
    send(response, 500, { error: `internal error: ${(error as Error).message}`, code: 'unavailable' });
  }
}
