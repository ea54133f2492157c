/** Reads the page's address: how many flights and workers, what to select, and where to report. */
import { DIMENSIONS, type Range } from './crossfilter/dimensions.js';

export interface Settings {
  /** Flights to read from the start of the file; all if undefined. */
  readonly rows: number | undefined;
  /** Workers of the pool; the library's default if undefined. */
  readonly workers: number | undefined;
  /** Where the page posts its findings once it is ready, for tests. */
  readonly report: string | undefined;
  /** What is selected at first, for each dimension. */
  readonly ranges: readonly (Range | undefined)[];
}

/** @param query for example `?rows=100000&workers=4&minute=360..720` */
export function parseAddress(query: string): Settings {
  const parameters = new URLSearchParams(query);
  return {
    rows: positive(parameters, 'rows'),
    workers: positive(parameters, 'workers'),
    report: parameters.get('report') ?? undefined,
    ranges: DIMENSIONS.map(({ id }) => range(parameters, id)),
  };
}

function positive(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`'${name}' in the address needs a whole number of at least 1, but got '${text}'.`);
  return value;
}

function range(parameters: URLSearchParams, name: string): Range | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const match = /^(-?\d+)\.\.(-?\d+)$/.exec(text);
  const [low, high] = [Number(match?.[1]), Number(match?.[2])];
  if (!(low < high))
    throw new RangeError(`'${name}' in the address needs two whole numbers, as in 100..200, but got '${text}'.`);
  return { low, high };
}
