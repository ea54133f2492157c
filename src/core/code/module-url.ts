/**
 * Makes a URL for `import()` of what a user passes as the module of a registration; runs on every thread.
 *
 * ES modules have `import.meta.url`. CommonJS has `__filename`, a path, which becomes a `file:` URL, without `node:url`, which browsers
 * lack.
 */

import { show } from '../errors.js';

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]+:/; // two letters at least: one letter is a Windows drive
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
 * The URL of the module that a registration names.
 *
 * @param url `import.meta.url`, or `__filename` in CommonJS
 * @param call the call that it was passed to, for the message
 * @throws TypeError for any other value, with what to pass
 */
export function moduleUrl(url: unknown, call: string): string {
  if (typeof url === 'string') {
    const found = SCHEME.test(url) ? url : urlOfPath(url);
    if (found !== undefined) return found;
  }
  const why =
    url === undefined
      ? 'A build that emits CommonJS leaves import.meta.url undefined: pass __filename there, or have esbuild do so: --define:import.meta.url=__filename.'
      : 'Pass import.meta.url, or __filename in CommonJS.';
  throw new TypeError(
    `furcate: ${call}: the first argument is the URL of the module that it stands in, import.meta.url; it was ${show(url)}. ${why}`,
  );
}

/** The file of a URL, without folder and query. */
export const fileName = (url: string): string => url.replace(/[?#].*$/, '').replace(/^.*\//, '');

/**
 * One spelling for each module, for comparisons: `file:` URLs of the same file differ in their escapes (Node's `pathToFileURL` writes `~`
 * as `%7E`, `import.meta.url` does not) and in the case of a drive letter. Imports use the URL as given, because module caches do.
 */
export function canonicalUrl(url: string): string {
  const parts = /^file:\/\/([^/?#]*)([^?#]*)(.*)$/i.exec(url);
  if (parts === null) return url;
  const [, host, path, rest] = parts as unknown as [string, string, string, string];
  try {
    const plain = encodePath(decodeURIComponent(path)).replace(/^\/[a-z]:/, (drive) => drive.toUpperCase());
    return `file://${host === 'localhost' ? '' : host}${plain}${rest}`;
  } catch {
    return url; // a stray % is no escape
  }
}
