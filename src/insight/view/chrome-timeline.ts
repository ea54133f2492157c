/** Reads timelines in Chrome's trace event format, as this library writes them; in the command. */
import { CATEGORIES, type ChromeEvent, COUNTS } from '../recording/chrome-events.js';
import { COROUTINE, HEAP, INSTANTS, INVOCATION, STOLEN } from '../recording/timeline-event.js';
import { TableBuilder, type TimelineTable } from './timeline-table.js';

interface FileText {
  readonly traceEvents?: readonly ChromeEvent[];
  readonly otherData?: { readonly dropped?: number };
}

interface EventArguments {
  readonly name?: string;
  readonly module?: string;
  readonly elements?: number;
  readonly bytes?: number;
}

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
    const { ph, name, cat = '', tid = 0, ts = 0, dur = 0, id } = event;
    const told = (event['args'] ?? {}) as EventArguments;
    if (ph === 'M') {
      if (name === 'thread_name') this.#builder.addThread(tid, told.name ?? '');
      return;
    }
    const thread = this.#builder.threadOf(tid);
    const kind = KINDS.get(cat);
    if (ph === 'X' && kind !== undefined)
      this.#builder.add(
        kind,
        thread,
        this.#nameOf(name, told.module),
        ts,
        dur,
        kind === STOLEN ? -1 : (told.elements ?? told.bytes ?? 0),
      );
    else if (ph === 'i') this.#addInstant(name, thread, ts);
    else if (ph === 's')
      this.#builder.tellLast(thread); // it follows what it leads to
    else if (ph === 'b') this.#begun.set(`${cat} ${id}`, event);
    else if (ph === 'e' && (kind === INVOCATION || kind === COROUTINE)) {
      const begun = this.#begun.get(`${cat} ${id}`);
      const startUs = begun?.ts ?? ts;
      const module = ((begun?.['args'] ?? {}) as EventArguments).module;
      this.#builder.add(kind, thread, this.#nameOf(name, module), startUs, ts - startUs, (id ?? 0) % 2 ** 32);
    } else if (ph === 'C') this.#addCount(event, thread, ts);
  }

  #addInstant(name: string, thread: number, ts: number): void {
    const kind = INSTANTS[name];
    if (kind !== undefined) this.#builder.add(kind, thread, this.#nameOf(name), ts, 0, 0);
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

  table(dropped: number): TimelineTable {
    return this.#builder.table(dropped);
  }
}

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
  for (const event of file.traceEvents) reader.add(event);
  return reader.table(file.otherData?.dropped ?? 0);
}
