/** Formats numbers, times and flights for the terminal. */
import type { Flights } from './load.js';

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function decimal(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(part: number, all: number): string {
  return all === 0 ? 'n/a' : `${decimal((100 * part) / all, 2)} %`;
}

export function milliseconds(ms: number): string {
  return `${decimal(ms, ms < 10 ? 2 : 1)} ms`;
}

/** '1 row', '2 rows'. */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The departure and the route of a flight. */
export function flightLine(flights: Flights, row: number): string {
  const departure = flights.departure[row] ?? Number.NaN;
  const day = Number.isNaN(departure) ? 'no date' : new Date(departure).toISOString().slice(0, 16).replace('T', ' ');
  return `${day} ${airport(flights, flights.origin[row])}-${airport(flights, flights.destination[row])}`;
}

function airport(flights: Flights, code: number | undefined): string {
  return flights.airportCodes[code ?? 0] ?? '???';
}
