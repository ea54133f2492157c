/** The page that `npx furcate view` writes: reads the timeline that is in it, and shows it. */
import { COROUTINE, INVOCATION } from '../../recording/timeline-event.js';
import { readBinary } from '../binary-timeline.js';
import { flameOf, totalsOf } from '../flame.js';
import { hintsOf } from '../hints.js';
import { longPathOf } from '../long-path.js';
import { BUSY, isTask, isWork, KIND_NAMES, nestingOf, STATES, workersOf } from '../nesting.js';
import { withOverlapping } from '../overlapping.js';
import { stealCostOf } from '../task-lengths.js';
import { utilisationOf } from '../utilisation.js';
import { countOf, shareOf, timeOf } from '../words.js';
import { Colours, STATE_VARIABLES, VARIABLES } from './colours.js';
import { listen, searchFor } from './controls.js';
import { byId, element } from './elements.js';
import { showFlame } from './flame-graph.js';
import { showHistogram } from './histogram.js';
import { OverviewPicture } from './overview.js';
import { showHints, showPath, showTotals, showWaits } from './tables.js';
import { TimelinePicture } from './timeline.js';
import { ViewState } from './view-state.js';

const BINS = 600;
const MOST_NAMES = 30;

/** The bytes that the command has put into the page: compressed, and as text. */
async function bytesOfPage(): Promise<Uint8Array> {
  const text = atob((byId('data').textContent ?? '').trim());
  const compressed = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) compressed[k] = text.charCodeAt(k);
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const swatch = (variable: string, text: string): HTMLLIElement => {
  const mark = element('span', { class: 'swatch' });
  mark.style.background = `var(${variable})`;
  return element('li', {}, mark, text);
};

async function show(): Promise<void> {
  const table = readBinary(await bytesOfPage());
  const nesting = nestingOf(table);
  const shown = withOverlapping(nesting);
  const state = new ViewState(shown.nesting);
  const colours = new Colours(() => state.changed());
  const workers = workersOf(nesting);
  const use = utilisationOf(nesting, workers, nesting.from, nesting.to, BINS);
  const path = longPathOf(nesting);
  const totals = totalsOf(nesting);
  const canvas = byId('timeline') as HTMLCanvasElement;
  const picture = new TimelinePicture(state, shown.order, colours, path, canvas);
  const overview = new OverviewPicture(state, colours, use, byId('overview') as HTMLCanvasElement);
  const invocations = table.kind.reduce((count, kind) => count + Number(kind === INVOCATION || kind === COROUTINE), 0);
  byId('summary').textContent = [
    countOf(table.length, 'event'),
    timeOf(nesting.to - nesting.from),
    countOf(workers.length, 'thread'),
    countOf(invocations, 'invocation'),
    `busy for ${shareOf(use.mean[BUSY])}`,
    ...(table.dropped === 0 ? [] : [`${countOf(table.dropped, 'event')} lost`]),
  ].join(' \u00b7 ');
  byId('overview').setAttribute(
    'aria-label',
    `Use of the threads over time: ${STATES.map((name, k) => `${name} ${shareOf(use.mean[k])}`).join(', ')}; the rest looks for work.`,
  );
  byId('states').append(
    ...STATES.map((name, k) => swatch(STATE_VARIABLES[k], `${name} ${shareOf(use.mean[k])}`)),
    swatch('--panel', `looks for work ${shareOf(Math.max(0, 1 - use.mean.reduce((a, b) => a + b)))}`),
  );
  const kinds = new Set(shown.nesting.row.map((row) => table.kind[row]));
  byId('kinds').append(
    ...[...kinds].sort((a, b) => a - b).map((kind) => swatch(VARIABLES[kind], KIND_NAMES[kind])),
    swatch('--arrow', 'steal'),
  );
  showHints(hintsOf(nesting), state);
  const tasks = totals.filter(({ kind }) => isTask(kind) || isWork(kind)).map(({ name }) => name);
  showHistogram(nesting, [...new Set(tasks)].slice(0, MOST_NAMES), stealCostOf(nesting));
  showFlame(flameOf(nesting), searchFor);
  showTotals(totals);
  showPath(path, nesting, state);
  showWaits(table);
  byId('show-path').addEventListener('change', (event) => {
    picture.showsPath = (event.target as HTMLInputElement).checked;
    state.changed();
  });
  listen(state, picture, canvas);
  state.onChange(() => {
    picture.draw();
    overview.draw();
    byId('seen').textContent = `${timeOf(state.from - nesting.from)} to ${timeOf(state.to - nesting.from)}`;
  });
  new ResizeObserver(() => state.changed()).observe(canvas);
  state.changed();
}

show().then(
  () => requestAnimationFrame(() => document.documentElement.setAttribute('data-ready', '')),
  (error: unknown) => {
    byId('summary').textContent = `This page cannot be shown: ${error}`;
    document.documentElement.setAttribute('data-ready', 'failed');
  },
);
