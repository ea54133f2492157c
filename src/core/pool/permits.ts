/** All that the core knows of limits (src/flows/limit): an invocation that names some waits for their permits before it starts. */
import { show } from '../errors.js';

/** Told by this property, because another copy of the library may have made it. */
export const PERMITS: unique symbol = Symbol.for('furcate.permits') as never;

/** Some permits of a limit, as one task needs them: `limit()` of `furcate/flows` makes it. */
export interface PermitRequest {
  readonly [PERMITS]: object;
}

/** Value of the option `limit`. All permits that a task asks for are taken at once, before it starts. */
export type LimitOption = PermitRequest | readonly PermitRequest[];

const requestsIn = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);

const isPermitRequest = (value: unknown): value is PermitRequest =>
  typeof value === 'object' && value !== null && PERMITS in value;

/** Checks the option of an invocation. @returns undefined for no limits */
export function checkLimit(value: unknown, what: string): LimitOption | undefined {
  const wrong = requestsIn(value).find((one) => !isPermitRequest(one));
  if (wrong === undefined && value !== undefined)
    return requestsIn(value).length === 0 ? undefined : (value as LimitOption);
  throw new TypeError(
    `furcate: ${what} must be what limit() of 'furcate/flows' or its of() gives, or an array of these; it was ${show(wrong)}.`,
  );
}

/** Holder of the first of the requests: it sees to all of them. */
export const firstOf = (limit: LimitOption): object => (requestsIn(limit)[0] as PermitRequest)[PERMITS];
