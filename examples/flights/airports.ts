/** Reads the coordinates of the airports from vega-datasets' airports.csv into shared arrays. */
import { readFile } from 'node:fs/promises';
import { sharedArray } from 'furcate';
import { parseAirports, UNKNOWN_AIRPORT } from './airport-table.js';
import { dataFile } from './data-set.js';

export interface Airports {
  /** IATA codes. A flight's `origin` and `destination` are indices into this list. */
  readonly codes: readonly string[];
  /** Coordinates by index into `codes`, in radians; NaN if unknown. */
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
  /** How many airports of the data have no coordinates. */
  readonly unlocated: number;
}

const RADIANS_PER_DEGREE = Math.PI / 180;

export async function locateAirports(codes: readonly string[]): Promise<Airports> {
  const places = parseAirports(await readFile(dataFile('airports.csv'), 'utf8'));
  const latitude = sharedArray(Float64Array, codes.length);
  const longitude = sharedArray(Float64Array, codes.length);
  let unlocated = 0;
  codes.forEach((code, position) => {
    const place = places.get(code);
    if (place === undefined && code !== UNKNOWN_AIRPORT) unlocated++;
    latitude[position] = (place?.latitude ?? Number.NaN) * RADIANS_PER_DEGREE;
    longitude[position] = (place?.longitude ?? Number.NaN) * RADIANS_PER_DEGREE;
  });
  return { codes, latitude, longitude, unlocated };
}
