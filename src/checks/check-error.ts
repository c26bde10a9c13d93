import { type Report } from './report';

/** Thrown where a synthesised tree has findings of severity error; `report` holds all of them. */
export class CheckError extends Error {
  constructor(
    message: string,
    readonly report: Report,
  ) {
    super(message);
    this.name = 'CheckError';
  }
}
