/** `npx furcate view`: a recorded timeline as a page, or as JSON; in the command. */
import { BinaryFormat } from '../recording/binary-format.js';
import { JsonFormat, type TimelineFormat } from '../recording/json-format.js';
import { isBinaryTimeline, readBinary } from './binary-timeline.js';
import { readChrome } from './chrome-timeline.js';
import { type Hint, hintsOf } from './hints.js';
import { pageOf } from './html.js';
import { merged } from './merging.js';
import { nestingOf, workersOf } from './nesting.js';
import { rewrite } from './rewrite.js';
import type { TimelineTable } from './timeline-table.js';
import { countOf, timeOf, visible } from './words.js';

/** Options of `view`. */
export interface ViewOptions {
  /** The page; by default beside the timeline. */
  readonly output?: string | undefined;
  /** A file that is to have the timeline in Chrome's trace event format. Without `output` no page is written then. */
  readonly json?: string | undefined;
  readonly opens: boolean;
}

const fs = () => process.getBuiltinModule('node:fs');

/** No text of an engine is longer (characters), by some margin. */
const LONGEST_TEXT = 2 ** 29 - 24;

function read(path: string): TimelineTable {
  const zlib = process.getBuiltinModule('node:zlib');
  const raw = fs().readFileSync(path);
  const isCompressed = raw[0] === 0x1f && raw[1] === 0x8b;
  const bytes = isCompressed ? zlib.gunzipSync(raw) : raw;
  if (isBinaryTimeline(bytes)) return readBinary(bytes);
  if (bytes.length > LONGEST_TEXT)
    throw new RangeError(
      `furcate: ${path} has ${bytes.length} bytes of JSON, more than can be read at once. Record to a binary file: FURCATE_TRACE=out.bin.`,
    );
  return readChrome(bytes.toString('utf8'));
}

function writeIn(path: string, format: TimelineFormat, table: TimelineTable): void {
  const zlib = process.getBuiltinModule('node:zlib');
  const pieces: Uint8Array[] = [];
  if (path.endsWith('.gz')) {
    rewrite(table, format, (piece) => pieces.push(piece));
    fs().writeFileSync(path, zlib.gzipSync(Buffer.concat(pieces)));
    return;
  }
  const file = fs().openSync(path, 'w');
  try {
    rewrite(table, format, (piece) => fs().writeFileSync(file, piece));
  } finally {
    fs().closeSync(file);
  }
}

function dataOf(table: TimelineTable): string {
  const pieces: Uint8Array[] = [];
  rewrite(table, new BinaryFormat(0), (piece) => pieces.push(piece));
  return process.getBuiltinModule('node:zlib').gzipSync(Buffer.concat(pieces)).toString('base64');
}

/** The page's script lies beside this file in the package. */
const scriptOfPage = (): string => fs().readFileSync(new URL('./viewPage.js', import.meta.url), 'utf8');

/** The program that opens a page, if there is a screen to open it on. */
function opener(): readonly [string, ...string[]] | undefined {
  const { env, platform } = process;
  if (env['CI']) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
}

function open(path: string): boolean {
  const program = opener();
  if (program === undefined) return false;
  const [command, ...args] = program;
  const child = process
    .getBuiltinModule('node:child_process')
    .spawn(command, [...args, path], { detached: true, stdio: 'ignore' });
  child.on('error', () => {}); // there is no such program: the path is printed
  child.unref();
  return true;
}

/** The path of the page: that of the timeline, with another end. */
const pagePathOf = (path: string): string => `${path.replace(/(\.json|\.bin)?(\.gz)?$/, '')}.html`;

const lineOf = ({ weight, title, text, cure }: Hint): string =>
  `${weight === 'problem' ? '!' : '-'} ${title}. ${text}${cure === undefined ? '' : ` ${cure}`}`;

/**
 * Writes what is asked for.
 *
 * @param paths of timelines: binary or JSON, compressed or not. Those of several processes become one
 * @returns what to tell the user, line by line
 * @throws TypeError when the file is no timeline, or is damaged, or would be written over; what the platform says when files cannot be read or written
 */
export function view(paths: readonly string[], { output, json, opens }: ViewOptions): string[] {
  const { basename, resolve } = process.getBuiltinModule('node:path');
  const own = [output, json].find(
    (made) => made !== undefined && paths.some((path) => resolve(path) === resolve(made)),
  );
  if (own !== undefined)
    throw new TypeError(`furcate: ${own} is the timeline itself. Give what is made of it another name.`);
  const table = merged(paths.map(read));
  const path = paths[0] as string;
  const lines: string[] = [];
  if (json !== undefined) {
    writeIn(json, new JsonFormat(0), table);
    lines.push(`${json} has ${countOf(table.length, 'event')}.`);
    if (output === undefined) return lines;
  }
  const page = output ?? pagePathOf(path);
  const nesting = nestingOf(table);
  fs().writeFileSync(page, pageOf(paths.map((one) => basename(one)).join(', '), dataOf(table), scriptOfPage()));
  const told = `${countOf(table.length, 'event')}, ${timeOf(nesting.to - nesting.from)}, ${countOf(workersOf(nesting).length, 'thread')}`;
  lines.push(`${page}: ${told}${opens && open(resolve(page)) ? '; it opens in a browser' : ''}.`, '');
  return [...lines, ...hintsOf(nesting).map((hint) => visible(lineOf(hint)))];
}
