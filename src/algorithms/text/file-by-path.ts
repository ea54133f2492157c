/** A file that is named by its path, where the platform has files; runs on the calling thread. */
import { host, openFile } from '../../core/engine.js';
import { refuseRevoked } from '../../core/errors.js';
import { check } from '../call/options.js';

/** A path, or a `file:` URL, declared without types of the DOM or Node. */
export type FilePath = string | { readonly href: string };

type OpenedPath = Awaited<NonNullable<ReturnType<typeof openFile>>>;

/** Function that takes a file by its path: what it needs for that, as its errors say it. */
interface PathTaker {
  readonly name: string;
  readonly needs: string;
  /** Cure where there are no files by path. */
  readonly cure: string;
}

/** The file of a path, by what the host does with it. */
function taken<R>(path: unknown, { name, needs, cure }: PathTaker, take: (path: string | URL) => R | undefined): R {
  refuseRevoked(path, `${name}: file`);
  const isUrl = typeof (path as { href?: unknown } | null)?.href === 'string';
  check(typeof path === 'string' || isUrl, name, 'file', needs, path);
  const file = take(path as string | URL);
  if (file !== undefined) return file;
  throw new TypeError(
    `furcate: ${name}: this platform has no files by path, and file is ${JSON.stringify(String(path))}. ${cure}`,
  );
}

/** @throws (rejects with) TypeError, or what the platform says of a file that it cannot open */
export const opened = async (path: unknown, taker: PathTaker): Promise<OpenedPath> => taken(path, taker, openFile);

/** The path from the root on. @throws TypeError */
export const named = (path: unknown, taker: PathTaker): string => taken(path, taker, (known) => host().pathOf?.(known));
