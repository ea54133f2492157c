/** Reads timelines in Chrome's trace event format, as this library writes them; in the command. */
import { ABOUT, CATEGORIES, type ChromeEvent, COUNTS, type TimelineProcess } from '../recording/chrome-events.js';
import { HEAP, INSTANTS, OVERLAPPING, PUBLISHED, READY, STOLEN } from '../recording/timeline-event.js';
import { TableBuilder, type TimelineTable } from './timeline-table.js';

interface FileText {
  readonly traceEvents?: readonly ChromeEvent[];
  readonly otherData?: { readonly dropped?: number; readonly processes?: readonly TimelineProcess[] };
}

interface EventArguments {
  readonly name?: string;
  readonly module?: string;
  readonly after?: number;
  readonly [about: string]: unknown;
}

/** Threads of several processes, which number them by themselves. */
const MOST_THREADS = 1e6;

const KINDS = new Map(Object.entries(CATEGORIES).map(([kind, cat]) => [cat, Number(kind)]));
const KINDS_OF_COUNTS = new Map(Object.entries(COUNTS).map(([kind, unit]) => [unit, Number(kind)]));

class ChromeReader {
  readonly #builder = new TableBuilder();
  readonly #names = new Map<string, number>();
  /** Begin events of what overlaps others. */
  readonly #begun = new Map<string, ChromeEvent>();

  #nameOf(name: string, module = ''): number {
    const key = `${name}\0${module}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    this.#names.set(key, this.#builder.names.length);
    return this.#builder.names.push({ name, module }) - 1;
  }

  add(event: ChromeEvent): void {
    const { ph, name, cat = '', pid = 1, ts = 0, dur = 0, id } = event;
    const tid = (pid - 1) * MOST_THREADS + (event.tid ?? 0);
    const told = (event['args'] ?? {}) as EventArguments;
    if (ph === 'M') {
      if (name === 'thread_name') this.#builder.addThread(tid, String(told.name ?? ''), pid - 1);
      return;
    }
    const thread = this.#builder.threadOf(tid);
    const kind = KINDS.get(cat);
    if (ph === 'X' && kind !== undefined && cat !== CATEGORIES[PUBLISHED])
      this.#builder.add(
        kind,
        thread,
        this.#nameOf(name, told.module),
        ts,
        dur,
        kind === STOLEN ? -1 : aboutOf(kind, told),
      );
    else if (ph === 'i') this.#addInstant(name, thread, ts, told);
    else if (ph === 's')
      this.#builder.tellLast(thread); // it follows what it leads to
    else if (ph === 'b') this.#begun.set(`${cat} ${id}`, event);
    else if (ph === 'e' && kind !== undefined && OVERLAPPING.includes(kind)) {
      const begun = this.#begun.get(`${cat} ${id}`);
      const startUs = begun?.ts ?? ts;
      const about = (begun?.['args'] ?? {}) as EventArguments;
      const number = ABOUT[kind] === undefined ? (id ?? 0) % 2 ** 32 : aboutOf(kind, about);
      this.#builder.add(kind, thread, this.#nameOf(name, about.module), startUs, ts - startUs, number);
    } else if (ph === 'C') this.#addCount(event, thread, ts);
  }

  #addInstant(name: string, thread: number, ts: number, told: EventArguments): void {
    const kind = INSTANTS[name];
    if (kind === undefined) return;
    const [after, about] = kind === READY ? [told.after ?? 0, aboutOf(kind, told)] : [0, 0];
    this.#builder.add(kind, thread, this.#nameOf(name), ts, after, about);
  }

  #addCount({ name, args }: ChromeEvent, thread: number, ts: number): void {
    for (const [unit, value] of Object.entries((args ?? {}) as Record<string, number>)) {
      const kind = KINDS_OF_COUNTS.get(unit);
      const [what = '', ...of] = name.split(': ');
      if (kind !== undefined)
        this.#builder.add(
          kind,
          thread,
          this.#nameOf(what, of.join(': ')),
          ts,
          kind === HEAP ? Math.round(value * 1e6) : value,
          0,
        );
    }
  }

  table({ dropped = 0, processes = [] }: NonNullable<FileText['otherData']>): TimelineTable {
    for (const [process, known] of processes.entries()) this.#builder.setProcess(process, known);
    return this.#builder.table(dropped);
  }
}

const aboutOf = (kind: number, told: EventArguments): number => Number(told[ABOUT[kind] ?? ''] ?? 0);

const isTold = (value: unknown, type: 'string' | 'number'): boolean =>
  value === undefined || (typeof value === type && (type === 'string' || Number.isFinite(value)));

/** Other programs write such files, too. */
const isEvent = (event: Partial<ChromeEvent> | null): boolean =>
  typeof event === 'object' &&
  event !== null &&
  isTold(event.name, 'string') &&
  [event.ts, event.dur, event.pid, event.tid].every((value) => isTold(value, 'number'));

/**
 * @param text of a file
 * @throws TypeError when it is no timeline
 */
export function readChrome(text: string): TimelineTable {
  let file: FileText | undefined;
  try {
    file = JSON.parse(text) as FileText;
  } catch {
    file = undefined;
  }
  if (!Array.isArray(file?.traceEvents))
    throw new TypeError(
      'furcate: this is no timeline: it is neither a binary file of this library nor JSON with `traceEvents`. Record one with FURCATE_TRACE=out.bin.',
    );
  const reader = new ChromeReader();
  for (const event of file.traceEvents) if (isEvent(event)) reader.add(event);
  return reader.table(file.otherData ?? {});
}
