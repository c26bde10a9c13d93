/**
 * Why the server did not answer a request, in a few words.
 */
import { type ApiError } from '../../runtime/api/api-error';

export function reasonOf({ status, message }: ApiError): string {
  const text = message.split('\n')[0].slice(0, 300);
  return status === 403
    ? 'forbidden'
    : status === 404
      ? 'not found'
      : status === 0
        ? text
        : `${text} (status ${status})`;
}
