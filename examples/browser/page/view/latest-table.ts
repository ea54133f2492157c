/** The table of the latest flights in the selection. */
import { whole } from '../../../flights/words.js';
import type { Flights } from '../data/flights.js';
import { element, make } from './page.js';

export interface LatestFlight {
  readonly departure: string;
  readonly route: string;
  readonly miles: number;
  readonly minutes: number;
}

export function latestFlight(
  { departure, origin, destination, distance, delay, airports }: Flights,
  row: number,
): LatestFlight {
  const code = (airport: number): string => airports[airport].code;
  return {
    departure: new Date(departure[row]).toISOString().slice(0, 16).replace('T', ' '),
    route: `${code(origin[row])} – ${code(destination[row])}`,
    miles: distance[row],
    minutes: delay[row],
  };
}

export function showLatest(flights: readonly LatestFlight[]): void {
  element('#latest').replaceChildren(
    ...flights.map(({ departure, route, miles, minutes }) =>
      make(
        'tr',
        '',
        make('td', '', departure),
        make('td', '', route),
        make('td', 'number miles', `${whole(miles)} mi`),
        make('td', 'number', inHours(minutes)),
      ),
    ),
  );
  element('#no-latest').hidden = flights.length > 0;
}

const inHours = (minutes: number): string =>
  minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
