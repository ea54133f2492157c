/**
 * Makes a URL for `import()` of what a user passes as the module of a registration; runs on every thread.
 *
 * ES modules have `import.meta.url`. CommonJS has `__filename`, a path, which becomes a `file:` URL, without `node:url`, which browsers
 * lack.
 */

import { show } from '../errors.js';

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]+:/; // two letters at least: one letter is a Windows drive
/** The names of what Node evaluates without a file: `[eval]`, `[worker eval]`, `[stdin]`. */
const EVALUATED = /^\[[\w ]+\]$/;
const DRIVE = /^[a-zA-Z]:[\\/]/;

/** As `encodeURI`, but also encodes `?` and `#`, which would end the path. A lone surrogate, which names no file, becomes U+FFFD. */
const encodePath = (path: string): string =>
  encodeURI(path.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replaceAll('?', '%3F')
    .replaceAll('#', '%23');

function urlOfPath(path: string): string | undefined {
  if (path.startsWith('/')) return `file://${encodePath(path)}`;
  const local = path.startsWith('\\\\?\\') ? path.slice(4).replace(/^UNC\\/i, '\\\\') : path; // long-path prefix
  const slashed = local.replaceAll('\\', '/');
  if (DRIVE.test(local)) return `file:///${encodePath(slashed)}`;
  if (local.startsWith('\\\\')) return `file:${encodePath(slashed)}`; // \\server\share: the server is the URL's host
  return undefined;
}

/**
 * Stands for the URL of a module that has none: a build that emits CommonJS, or a script for pages, leaves it undefined. Such code is found by its
 * name, in workers of `createWorker`; others cannot import it.
 */
export const NOWHERE = 'module:unknown';

/**
 * Ends the URL that is made of a path. Who passes `__filename` has a CommonJS module: workers `require` it, as the program has done, so that hooks of
 * `require` compile it there, too. No such URL has a fragment of its own.
 */
const REQUIRED = '#required';

/** Returns true if workers are to `require` the module of a URL. */
export const isRequired = (url: string): boolean => url.endsWith(REQUIRED);

/** The URL as the runtime has it. */
export const placeOf = (url: string): string => (isRequired(url) ? url.slice(0, -REQUIRED.length) : url);

/**
 * The URL of the module that a registration names.
 *
 * @param url `import.meta.url`, or `__filename` in CommonJS; `NOWHERE` where it is undefined, or the name of a text that Node evaluates
 * @param call the call that it was passed to, for the message
 * @throws TypeError for any other value, with what to pass
 */
export function moduleUrl(url: unknown, call: string): string {
  if (url === undefined) return NOWHERE;
  if (typeof url === 'string') {
    if (EVALUATED.test(url)) return NOWHERE;
    if (SCHEME.test(url)) return url;
    const found = urlOfPath(url);
    if (found !== undefined) return found + REQUIRED;
  }
  throw new TypeError(
    `furcate: ${call}: the first argument is the URL of the module that it stands in, import.meta.url; it was ${show(url)}. ` +
      'Pass import.meta.url, or __filename in CommonJS.',
  );
}

/** The file of a URL, without folder and query. */
export const fileName = (url: string): string => url.replace(/[?#].*$/, '').replace(/^.*\//, '');

/**
 * One spelling for each module, for comparisons: `file:` URLs of the same file differ in their escapes (Node's `pathToFileURL` writes `~`
 * as `%7E`, `import.meta.url` does not) and in the case of a drive letter. Imports use the URL as given, because module caches do.
 */
export function canonicalUrl(url: string): string {
  const parts = /^file:\/\/([^/?#]*)([^?#]*)(.*)$/i.exec(placeOf(url));
  if (parts === null) return url;
  const [, host, path, rest] = parts as unknown as [string, string, string, string];
  try {
    const plain = encodePath(decodeURIComponent(path)).replace(/^\/[a-z]:/, (drive) => drive.toUpperCase());
    return `file://${host === 'localhost' ? '' : host}${plain}${rest}`;
  } catch {
    return url; // a stray % is no escape
  }
}
