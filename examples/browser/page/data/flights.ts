/** The flights as columns in shared memory, which all threads read. */
import { sharedArray } from 'furcate';

/** What decoding writes, and what a task takes as one argument. */
export interface Columns {
  /** Miles. */
  readonly distance: Int16Array;
  /** Minutes from midnight to the departure, in local time. */
  readonly minute: Int16Array;
  /** Minutes from the planned to the actual arrival; negative when early. */
  readonly delay: Int16Array;
  /** The bins of these three in the histograms. */
  readonly distanceBin: Uint8Array;
  readonly minuteBin: Uint8Array;
  readonly delayBin: Uint8Array;
  /** Airports, as indices into the list of airports. */
  readonly origin: Uint16Array;
  readonly destination: Uint16Array;
  /** Departures in local time, as milliseconds since 1970 as if they were UTC. */
  readonly departure: Float64Array;
}

export interface Airport {
  readonly code: string;
  readonly name: string;
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

export interface Flights extends Columns {
  readonly count: number;
  /** The first one stands for airports that the list does not have. */
  readonly airports: readonly Airport[];
}

export function newColumns(rows: number): Columns {
  return {
    distance: sharedArray(Int16Array, rows),
    minute: sharedArray(Int16Array, rows),
    delay: sharedArray(Int16Array, rows),
    distanceBin: sharedArray(Uint8Array, rows),
    minuteBin: sharedArray(Uint8Array, rows),
    delayBin: sharedArray(Uint8Array, rows),
    origin: sharedArray(Uint16Array, rows),
    destination: sharedArray(Uint16Array, rows),
    departure: sharedArray(Float64Array, rows),
  };
}
