/** Reads files in Chrome's trace event format as strictly as the format's page states it, and says what is wrong with one. */

/** An event of such a file. */
export interface FileEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly ts: number;
  readonly dur: number;
  readonly pid: number;
  readonly tid: number;
  readonly id?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface Timeline {
  readonly events: readonly FileEvent[];
  readonly dropped: number;
  /** The names of threads, by number. */
  readonly threads: ReadonlyMap<number, string>;
  /** What is wrong, in words; empty if nothing is. */
  readonly problems: readonly string[];
  slices(cat: string): readonly FileEvent[];
}

/** Times are whole nanoseconds, which doubles of microseconds hold up to less than this. */
const ROUNDING_US = 0.0002;

const PHASES = ['M', 'X', 'i', 's', 'f', 'b', 'e', 'C'];

const shown = (event: FileEvent): string => JSON.stringify(event);

const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** Names that the importer of the Firefox Profiler (src/profile-logic/import/chrome.ts) takes for what Chrome writes, whatever the event is. */
const OF_CHROME = /^(Profile|ProfileChunk|CpuProfile|Screenshot|ScriptCatchup|TracingStartedInBrowser|process_labels)$/;

/** What is wrong with each event by itself. */
function* malformed(events: readonly FileEvent[]): Generator<string> {
  for (const event of events) {
    const { ph, name, ts, dur, pid, tid, args } = event;
    if (!PHASES.includes(ph)) yield `unknown phase: ${shown(event)}`;
    if (typeof name !== 'string' || name === '') yield `no name: ${shown(event)}`;
    else if (OF_CHROME.test(name) || (ph !== 'M' && /^(thread|process)_(name|sort_index)$/.test(name)))
      yield `the name of an event of Chrome: ${shown(event)}`;
    if ('sfbe'.includes(ph) && !Number.isSafeInteger(event.id)) yield `no number: ${shown(event)}`; // Perfetto reads texts as hexadecimal
    if (!Number.isInteger(pid) || !Number.isInteger(tid)) yield `no thread: ${shown(event)}`;
    if (ph !== 'M' && !isTime(ts)) yield `no time: ${shown(event)}`;
    if (ph === 'X' && !isTime(dur)) yield `no duration: ${shown(event)}`;
    if (ph === 'C' && !Object.values(args ?? {}).every(isTime)) yield `no count: ${shown(event)}`;
  }
}

/** Slices that begin within another one of their thread, and end after it. */
export function* crossing(slices: readonly FileEvent[]): Generator<string> {
  const open: FileEvent[] = [];
  const endOf = ({ ts, dur }: FileEvent): number => ts + dur;
  for (const slice of [...slices].sort((a, b) => a.tid - b.tid || a.ts - b.ts || b.dur - a.dur)) {
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      if (last.tid === slice.tid && endOf(last) > slice.ts + ROUNDING_US) break;
      open.pop();
    }
    const outer = open.at(-1);
    open.push(slice);
    if (outer !== undefined && endOf(slice) > endOf(outer) + ROUNDING_US)
      yield `slices cross: ${shown(outer)} and ${shown(slice)}`;
  }
}

/** Ends of arrows, or of what overlaps others, that are alone; arrows that lead back in time, or to no slice. */
function* unpaired(events: readonly FileEvent[], begin: string, end: string): Generator<string> {
  const begun = new Map<string, FileEvent>();
  const key = ({ cat, id, name }: FileEvent): string => `${cat} ${id} ${name}`;
  for (const event of events.filter(({ ph }) => ph === begin)) {
    if (begun.has(key(event))) yield `two events begin with one id: ${shown(event)}`;
    begun.set(key(event), event);
  }
  for (const event of events.filter(({ ph }) => ph === end)) {
    const first = begun.get(key(event));
    begun.delete(key(event));
    if (first === undefined || first.ts > event.ts) yield `nothing before it begins: ${shown(event)}`;
  }
  for (const event of begun.values()) yield `it has no end: ${shown(event)}`;
}

function* arrowsToNowhere(events: readonly FileEvent[]): Generator<string> {
  const slices = events.filter(({ ph }) => ph === 'X');
  for (const arrow of events.filter(({ ph }) => ph === 's' || ph === 'f'))
    if (!slices.some(({ tid, ts, dur }) => tid === arrow.tid && ts <= arrow.ts && arrow.ts <= ts + dur))
      yield `it leads to no slice, or begins in none: ${shown(arrow)}`;
}

/** @param text of a file */
export function timelineOf(text: string): Timeline {
  const { traceEvents: events, otherData } = JSON.parse(text) as {
    readonly traceEvents: readonly FileEvent[];
    readonly otherData: { readonly dropped: number };
  };
  const named = events.filter(({ name }) => name === 'thread_name');
  const threads = new Map(named.map(({ tid, args }) => [tid, String(args?.['name'])]));
  const nameless = events
    .filter(({ tid }) => !threads.has(tid))
    .map((event) => `its thread has no name: ${shown(event)}`);
  const problems = [
    ...malformed(events),
    ...nameless,
    ...crossing(events.filter(({ ph }) => ph === 'X')),
    ...unpaired(events, 's', 'f'),
    ...unpaired(events, 'b', 'e'),
    ...arrowsToNowhere(events),
  ];
  const slices = (cat: string): FileEvent[] => events.filter((event) => event.ph === 'X' && event.cat === cat);
  return { events, dropped: otherData.dropped, threads, problems, slices };
}
