/** Six flights made by hand, with everything about them known, and a pool of one worker to ask. */

import { locateAirports } from '../../../examples/flights/airports.js';
import { ColumnBuilder } from '../../../examples/flights/columns.js';
import type { Flights } from '../../../examples/flights/load.js';

export const DELAYS = [5, -10, 200, 5, -70, 90];
export const MILES = [500, 2000, 500, 250, 2000, 4000];

export async function sampleFlights(): Promise<Flights> {
  const builder = new ColumnBuilder(DELAYS.length);
  builder.put(
    'date',
    0,
    DELAYS.map((_, row) => Date.UTC(2001, 0, 1, row)),
  );
  builder.put('delay', 0, DELAYS.map(BigInt));
  builder.put('distance', 0, MILES.map(BigInt));
  builder.put('origin', 0, ['JFK', 'JFK', 'LAX', 'SEA', 'HNL', 'EWR']);
  builder.put('destination', 0, ['ATL', 'LAX', 'SEA', 'PDX', 'XX?', 'HNL']);
  const columns = builder.finish();
  return { ...columns, airports: await locateAirports(columns.airportCodes) };
}
