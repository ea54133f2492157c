/** Hints, what each name has cost, and the path that made the run long. */
import type { NameTotal } from '../flame.js';
import type { Hint } from '../hints.js';
import type { LongPath } from '../long-path.js';
import { KIND_NAMES, type Nesting } from '../nesting.js';
import type { TimelineTable } from '../timeline-table.js';
import { countedOf, waitsOf } from '../waits.js';
import { shareOf, timeOf } from '../words.js';
import { searchFor } from './controls.js';
import { byId, element } from './elements.js';
import type { ViewState } from './view-state.js';

const MOST_ROWS = 40;

const WEIGHTS: Readonly<Record<Hint['weight'], string>> = { problem: 'Problem', note: 'Note', good: 'Good' };

export function showHints(hints: readonly Hint[], state: ViewState): void {
  const { from } = state.nesting;
  byId('hints').append(
    ...hints.map(({ weight, title, text, cure, at, id }) =>
      element(
        'li',
        { class: weight, 'data-hint': id },
        element('strong', {}, `${WEIGHTS[weight]}: ${title}.`),
        ` ${text}`,
        ...(cure === undefined ? [] : [' ', element('em', {}, cure)]),
        ...(at === undefined
          ? []
          : [
              ' ',
              element(
                'button',
                {
                  type: 'button',
                  click: () => state.show(at.from - 0.1 * (at.to - at.from), at.to + 0.1 * (at.to - at.from)),
                },
                `Show it, at ${timeOf(at.from - from)}`,
              ),
            ]),
      ),
    ),
  );
}

const headed = (...names: readonly string[]): HTMLTableSectionElement =>
  element('thead', {}, element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name))));

export function showTotals(totals: readonly NameTotal[]): void {
  const all = totals.reduce((sum, { selfUs }) => sum + selfUs, 0);
  const rows = totals
    .slice(0, MOST_ROWS)
    .map(({ name, module, kind, slices, selfUs, longestUs }) =>
      element(
        'tr',
        {},
        element(
          'th',
          { scope: 'row' },
          element('button', { type: 'button', title: `Search for ${name}`, click: () => searchFor(name) }, name),
          ...(module === '' ? [] : [' ', element('span', { class: 'faint' }, module.replace(/^.*\//, ''))]),
        ),
        element('td', {}, KIND_NAMES[kind] ?? ''),
        element('td', {}, slices.toLocaleString('en-US')),
        element('td', {}, timeOf(selfUs)),
        element('td', {}, shareOf(selfUs / all)),
        element('td', {}, timeOf(longestUs)),
      ),
    );
  byId('totals').append(
    headed('Name', 'What', 'Slices', 'Time itself', 'Share', 'Longest'),
    element('tbody', {}, ...rows),
  );
  if (totals.length > MOST_ROWS) byId('totals-more').textContent = `${totals.length - MOST_ROWS} more names took less.`;
}

/** Shows what waited, and what was counted now and then; nothing where there are no flows. */
export function showWaits(table: TimelineTable): void {
  const [waits, counted] = [waitsOf(table), countedOf(table)];
  byId('waits-section').hidden = waits.length + counted.length === 0;
  const cells = (...texts: readonly string[]): HTMLElement[] => texts.map((text) => element('td', {}, text));
  const search = (name: string): HTMLElement =>
    element('button', { type: 'button', title: `Search for ${name}`, click: () => searchFor(name) }, name);
  const waited = waits
    .slice(0, MOST_ROWS)
    .map(({ name, waits: times, items, medianUs, longestUs }) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, search(name)),
        ...cells(times.toLocaleString('en-US'), items.toLocaleString('en-US'), timeOf(medianUs), timeOf(longestUs)),
      ),
    );
  byId('waits').append(headed('What', 'Times', 'Items', 'Median', 'Longest'), element('tbody', {}, ...waited));
  byId('waits').hidden = waits.length === 0;
  const counts = counted
    .slice(0, MOST_ROWS)
    .map(({ name, of, looks, mean, most }) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, name),
        ...cells(of, looks.toLocaleString('en-US'), mean.toFixed(1), most.toLocaleString('en-US')),
      ),
    );
  byId('counted').append(headed('Count', 'Of', 'Looks', 'Mean', 'Most'), element('tbody', {}, ...counts));
  byId('counted').hidden = counted.length === 0;
}

/** The longest steps, in the order of time. */
export function showPath(path: LongPath | undefined, nesting: Nesting, state: ViewState): void {
  const told = byId('path-told');
  if (path === undefined || path.steps.length === 0) {
    told.textContent = 'The timeline has no invocation that has ended.';
    byId('path').hidden = true;
    return;
  }
  const all = path.to - path.from;
  const covered = path.steps.reduce((sum, { from, to }) => sum + to - from, 0);
  const shown = new Set([...path.steps].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_ROWS));
  told.textContent = `The longest invocation, '${path.name}', took ${timeOf(all)}; a thread began it after ${timeOf(Math.max(0, path.begun - path.from))}. Back from its end, it waited for these ${path.steps.length.toLocaleString('en-US')} steps, ${shareOf(covered / all)} of its time${shown.size < path.steps.length ? `; the ${shown.size} longest are shown` : ''}. That is this run's path: the span, of any run, is what profile() measures.`;
  const rows = path.steps
    .filter((step) => shown.has(step))
    .map(({ thread, name, kind, from, to }) =>
      element(
        'tr',
        {},
        element(
          'th',
          { scope: 'row' },
          element(
            'button',
            { type: 'button', title: 'Show it on the timeline', click: () => state.show(from, to) },
            name,
          ),
        ),
        element('td', {}, KIND_NAMES[kind]),
        element('td', {}, nesting.table.threads[thread].name),
        element('td', {}, timeOf(from - nesting.from)),
        element('td', {}, timeOf(to - from)),
        element('td', {}, shareOf((to - from) / all)),
      ),
    );
  byId('path').append(headed('Step', 'What', 'Thread', 'At', 'Time', 'Share'), element('tbody', {}, ...rows));
}
