/** Effects of mouse, keys and the search on the timeline. */
import { STOLEN, UNITS } from '../../recording/timeline-event.js';
import { isTask, KIND_NAMES } from '../nesting.js';
import { countOf, timeOf } from '../words.js';
import { byId } from './elements.js';
import type { TimelinePicture } from './timeline.js';
import type { ViewState } from './view-state.js';

const ZOOM = 0.6;
const PAN = 0.15;
/** A press that moves less is a click (pixels). */
const CLICK = 4;
/** Effect of a turn of the wheel by one pixel. */
const WHEEL = 0.0025;

function keysOf(state: ViewState): Readonly<Record<string, () => void>> {
  const zoomIn = (): void => state.zoom(ZOOM);
  const zoomOut = (): void => state.zoom(1 / ZOOM);
  const left = (): void => state.pan(-PAN);
  const right = (): void => state.pan(PAN);
  return {
    '+': zoomIn,
    '=': zoomIn,
    w: zoomIn,
    '-': zoomOut,
    s: zoomOut,
    ArrowLeft: left,
    a: left,
    ArrowRight: right,
    d: right,
    PageUp: () => state.pan(-0.9),
    PageDown: () => state.pan(0.9),
    Home: () => state.showAll(),
    0: () => state.showAll(),
    ArrowUp: () => state.step('parent'),
    ArrowDown: () => state.step('child'),
    j: () => state.step('before'),
    k: () => state.step('behind'),
    n: () => state.nextMatch(1),
    p: () => state.nextMatch(-1),
    Enter: () => {
      if (state.chosen >= 0) state.showSlice(state.chosen);
    },
    Escape: () => state.choose(-1),
  };
}

export function listen(state: ViewState, picture: TimelinePicture, canvas: HTMLCanvasElement): void {
  const keys = keysOf(state);
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') byId('search').focus();
    else if (state.chosen < 0 && ['ArrowUp', 'ArrowDown', 'j', 'k'].includes(event.key))
      state.choose(picture.firstSlice());
    else if (keys[event.key] !== undefined) keys[event.key]();
    else return;
    event.preventDefault();
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (isAcross) state.pan((event.deltaX || event.deltaY) / picture.timeWidth);
      else state.zoom(Math.exp(event.deltaY * WHEEL), picture.shareAt(event.offsetX));
    },
    { passive: false },
  );
  drag(state, picture, canvas);
  canvas.addEventListener('dblclick', ({ offsetX, offsetY }) => {
    const slice = picture.sliceAt(offsetX, offsetY);
    if (slice >= 0) state.showSlice(slice);
  });
  search(state);
  for (const [id, act] of Object.entries({ 'zoom-in': keys['+'], 'zoom-out': keys['-'], 'show-all': keys['Home'] }))
    byId(id).addEventListener('click', act);
  state.onChange(() => tell(state));
}

/** A press moves the picture; with Shift it marks what is to be seen. */
function drag(state: ViewState, picture: TimelinePicture, canvas: HTMLCanvasElement): void {
  let last: { x: number; y: number; moved: number; marked: number | undefined } | undefined;
  const scroller = canvas.parentElement as HTMLElement;
  const usAt = (x: number): number => state.from + picture.shareAt(x) * (state.to - state.from);
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = {
      x: event.offsetX,
      y: event.offsetY,
      moved: 0,
      marked: event.shiftKey ? usAt(event.offsetX) : undefined,
    };
  });
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    if (last === undefined) {
      canvas.style.cursor = picture.sliceAt(offsetX, offsetY) >= 0 ? 'pointer' : '';
      return;
    }
    last.moved += Math.abs(offsetX - last.x) + Math.abs(offsetY - last.y);
    if (last.marked === undefined && last.moved > CLICK) {
      state.pan((last.x - offsetX) / picture.timeWidth);
      scroller.scrollTop += last.y - offsetY;
    }
    [last.x, last.y] = [offsetX, offsetY];
  });
  canvas.addEventListener('pointerup', ({ offsetX, offsetY }) => {
    const ended = last;
    last = undefined;
    if (ended === undefined) return;
    if (ended.moved <= CLICK) state.choose(picture.sliceAt(offsetX, offsetY));
    else if (ended.marked !== undefined) {
      const other = usAt(offsetX);
      state.show(Math.min(ended.marked, other), Math.max(ended.marked, other));
    }
  });
  canvas.addEventListener('pointercancel', () => {
    last = undefined;
  });
}

function search(state: ViewState): void {
  const field = byId('search') as HTMLInputElement;
  const found = byId('found');
  field.addEventListener('input', () => {
    const count = state.search(field.value);
    found.textContent = field.value.trim() === '' ? '' : countOf(count, 'slice');
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    state.nextMatch(event.shiftKey ? -1 : 1);
  });
  byId('next').addEventListener('click', () => state.nextMatch(1));
  byId('previous').addEventListener('click', () => state.nextMatch(-1));
}

/** Searches for a name, as if it were typed. */
export function searchFor(name: string): void {
  const field = byId('search') as HTMLInputElement;
  field.value = name;
  field.dispatchEvent(new Event('input'));
  byId('timeline').focus();
  byId('timeline').scrollIntoView({ block: 'nearest' });
}

/** Says what is chosen. */
function tell(state: ViewState): void {
  const { nesting, chosen } = state;
  const place = byId('chosen');
  if (chosen < 0) {
    place.textContent = '';
    return;
  }
  const { table, row, start, end, self } = nesting;
  const { name, kind } = state.told(chosen);
  const { module } = table.names[table.name[row[chosen]]];
  const about = table.about[row[chosen]];
  const us = end[chosen] - start[chosen];
  const parts = [
    `${name}: ${KIND_NAMES[kind]}`,
    timeOf(us),
    ...(us - self[chosen] > 0.001 ? [`${timeOf(self[chosen])} without what is within`] : []),
    `at ${timeOf(start[chosen] - nesting.from)}`,
    `on ${table.threads[table.thread[row[chosen]]].name}`,
    ...(kind === STOLEN && about >= 0 ? [`from ${table.threads[about].name}`] : []),
    ...(kind === UNITS ? [countOf(about, 'element')] : []),
    ...(isTask(kind) && module !== '' ? [module] : []),
  ];
  const text = parts.join(', ');
  if (place.textContent !== text) place.textContent = text;
}
