/** A line of a host's log for what is no event of the host. */

export type LogFormat = 'text' | 'json';

/** Names the format among the data that threads get from their process. */
export const LOG_FORMAT = 'furcate:log';

/** Says, for example, why a host could not start. The library's own errors need no stack. */
export function lineOf(format: LogFormat, event: string, error: unknown, level: 'error' | 'warn' = 'error'): string {
  const { message = String(error), stack = message } = Object(error) as Partial<Error>;
  if (format === 'json') return JSON.stringify({ time: new Date().toISOString(), level, event, error: message });
  return message.startsWith('furcate: ') ? message : stack;
}
