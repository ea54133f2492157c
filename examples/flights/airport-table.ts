/** Parses vega-datasets' airports.csv; runs in Node and in browsers. */

/** Stands for an airport that the data do not name. */
export const UNKNOWN_AIRPORT = '???';

export interface Place {
  readonly name: string;
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** Parses `iata,name,city,state,country,latitude,longitude`. Names may contain commas, so it counts fields from both ends. */
export function parseAirports(csv: string): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const line of csv.split(/\r?\n/).slice(1)) {
    const fields = line.split(',');
    const code = fields[0];
    const latitude = Number.parseFloat(fields.at(-2) ?? '');
    const longitude = Number.parseFloat(fields.at(-1) ?? '');
    const name = fields.slice(1, -5).join(',').replaceAll('"', '');
    if (code && Number.isFinite(latitude) && Number.isFinite(longitude))
      places.set(code, { name, latitude, longitude });
  }
  return places;
}
