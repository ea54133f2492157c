/** Draws a timeline as an SVG image, from a trace as it is in a file; runs on the main thread. */

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly ts: number;
  readonly dur: number;
  readonly tid: number;
  readonly id?: number;
  readonly args?: { readonly name?: string };
}

const WIDTH = 960;
const LEFT = 130;
const TOP = 34;
const LANE = 64;
const ROW = 18;
/** Narrower slices are not drawn, and narrower ones than the second have no text (pixels). */
const LEAST = 0.3;
const LEAST_TEXT = 60;

const KINDS: Readonly<Record<string, string>> = {
  root: 'taken from the caller',
  stolen: 'stolen',
  units: 'units of an algorithm',
  wait: 'waits in a join',
  sleep: 'sleeps',
};

/** Kinds whose text is light. */
const DARK = ['root', 'stolen', 'units'];

const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#222}.root{fill:#2a6fdb}.stolen{fill:#c2410c}.units{fill:#0f766e}.wait{fill:#e9b949}.sleep{fill:#cbd5e1}.on{fill:#fff}.axis{stroke:#bbb}.steal{stroke:#7c3aed;stroke-width:1.2;fill:none}' +
  '@media(prefers-color-scheme:dark){text{fill:#eee}.wait{fill:#8a6100}.sleep{fill:#475569}.axis{stroke:#555}.steal{stroke:#c4b5fd}}';

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** How many slices each slice is within. */
function depthsOf(slices: readonly TraceEvent[]): Map<TraceEvent, number> {
  const depths = new Map<TraceEvent, number>();
  const open: TraceEvent[] = [];
  for (const slice of [...slices].sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    while (open.length > 0 && (open.at(-1) as TraceEvent).ts + (open.at(-1) as TraceEvent).dur <= slice.ts) open.pop();
    depths.set(slice, open.length);
    open.push(slice);
  }
  return depths;
}

/** @param events of a trace @param title of the picture */
export function timelinePicture(events: readonly TraceEvent[], title: string): string {
  const slices = events.filter(({ ph, cat }) => ph === 'X' && cat !== undefined && cat in KINDS);
  const names = new Map(
    events.filter(({ name }) => name === 'thread_name').map(({ tid, args }) => [tid, args?.name ?? '']),
  );
  const threads = [...names.keys()].filter((tid) => slices.some((slice) => slice.tid === tid)).sort((a, b) => a - b);
  const tasks = slices.filter(({ cat }) => cat !== 'sleep');
  const from = Math.min(...tasks.map(({ ts }) => ts));
  const to = Math.max(...tasks.map(({ ts, dur }) => ts + dur));
  const x = (ts: number): number =>
    LEFT + ((Math.min(to, Math.max(from, ts)) - from) / (to - from)) * (WIDTH - LEFT - 16);
  const y = (tid: number): number => TOP + threads.indexOf(tid) * LANE;
  const drawn: string[] = [];
  for (const tid of threads) {
    const own = slices.filter((slice) => slice.tid === tid);
    const depths = depthsOf(own);
    drawn.push(`<text x="8" y="${y(tid) + 14}">${escaped(names.get(tid) ?? '')}</text>`);
    for (const slice of own) {
      const [left, right] = [x(slice.ts), x(slice.ts + slice.dur)];
      if (right - left < LEAST) continue;
      const top = y(tid) + Math.min(2, depths.get(slice) ?? 0) * ROW;
      drawn.push(
        `<rect class="${slice.cat}" x="${left.toFixed(1)}" y="${top}" width="${(right - left).toFixed(1)}" height="${ROW - 2}"/>`,
      );
      if (right - left >= LEAST_TEXT)
        drawn.push(
          `<text class="${DARK.includes(slice.cat ?? '') ? 'on' : ''}" x="${(left + 4).toFixed(1)}" y="${top + 12}">${escaped(slice.name)}</text>`,
        );
    }
  }
  for (const arrow of events.filter(({ ph }) => ph === 's')) {
    const end = events.find(({ ph, id }) => ph === 'f' && id === arrow.id);
    if (end === undefined) continue;
    const down = y(end.tid) > y(arrow.tid);
    const [begin, tip] = down ? [y(arrow.tid) + ROW - 2, y(end.tid)] : [y(arrow.tid), y(end.tid) + ROW - 2];
    drawn.push(`<path class="steal" d="M${x(arrow.ts).toFixed(1)} ${begin}L${x(end.ts).toFixed(1)} ${tip}"/>`);
  }
  const bottom = TOP + threads.length * LANE;
  const legend = Object.entries(KINDS)
    .filter(([cat]) => slices.some((slice) => slice.cat === cat))
    .map(
      ([cat, what], k) =>
        `<rect class="${cat}" x="${LEFT + k * 165}" y="${bottom + 22}" width="12" height="12"/><text x="${LEFT + k * 165 + 17}" y="${bottom + 32}">${what}</text>`,
    );
  const ms = (to - from) / 1000;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = x(from + share * (to - from)).toFixed(1);
    return `<line class="axis" x1="${at}" x2="${at}" y1="${TOP - 4}" y2="${bottom}"/><text x="${at}" y="${bottom + 13}" text-anchor="${share === 1 ? 'end' : 'middle'}">${(share * ms).toFixed(1)} ms</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 44}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<text x="8" y="16">${escaped(title)}</text>`,
    ...ticks,
    ...drawn,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}
