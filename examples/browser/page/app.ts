/** The page: loads the flights, compares plain loops with Furcate, and redraws everything while a filter moves. */
import { decimal, whole } from '../../flights/words.js';
import { parseAddress } from './address.js';
import { checkSort, checkTallies } from './check.js';
import { Crossfilter } from './crossfilter/tally.js';
import { loadFlights } from './data/load.js';
import { ISOLATION_NOTICE, isIsolated, newPool } from './flights-pool.js';
import { Latest } from './latest.js';
import { type Report, sendReport } from './report.js';
import { Scene } from './scene.js';
import { chip, notice, progress, progressDone } from './status.js';
import { element } from './view/page.js';

async function start(): Promise<Report> {
  const settings = parseAddress(location.search);
  const pool = newPool(settings.workers);
  if (isIsolated()) chip('threads', `isolated, ${pool.parallelism} workers`, 'good');
  else {
    chip('threads', 'not isolated, 1 thread', 'warn');
    notice(ISOLATION_NOTICE, 'warn');
  }

  const { flights, fetchMs, decodeMs } = await loadFlights(pool, settings.rows, progress);
  element('#count').textContent = whole(flights.count);
  chip('loaded', `${whole(flights.count)} flights decoded in ${decimal(decodeMs / 1000, 1)} s`, 'neutral');
  const crossfilter = new Crossfilter(flights, pool);
  const latest = new Latest(flights, pool);
  const scene = await Scene.create(flights, crossfilter, latest, pool, fail);
  progressDone();

  const tallies = await checkTallies(crossfilter, (engine, time) => scene.timings.add(engine, time));
  const sorts = await checkSort(latest, 1);
  const areEqual = tallies && sorts.areEqual;
  chip('equal', areEqual ? 'answers equal' : 'ANSWERS DIFFER', areEqual ? 'good' : 'bad');
  const drawn = scene.begin(settings.ranges);
  return { ...(await drawn), isIsolated: isIsolated(), areEqual, count: flights.count, fetchMs, decodeMs, sorts };
}

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  notice(text, 'bad');
  console.error(error);
  void sendReport({ error: error instanceof Error ? `${error.message}\n${error.stack}` : text });
}

addEventListener('error', (event) => fail(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => fail(event.reason));
start().then(sendReport, fail);
