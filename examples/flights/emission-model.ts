/**
 * A rough model of the carbon dioxide that one flight emits. It runs on the main thread and, sent as source text, on the workers, so
 * it uses only its arguments and `Math`.
 *
 * The fuel follows from Breguet's range equation for one medium-sized airliner. It flies against or with a jet stream that blows from
 * the west and is strongest at 40 degrees north. The model is meant as a realistic load (ten transcendental operations for each
 * flight), not as a statement about any airline.
 *
 * @param fromLatitude - in radians, as the other coordinates; if one of them is NaN, the model assumes still air
 * @param miles - the length of the flight
 * @returns kilograms of carbon dioxide for the whole aircraft
 */
export function co2OfFlight(
  fromLatitude: number,
  fromLongitude: number,
  toLatitude: number,
  toLongitude: number,
  miles: number,
): number {
  const METRES_PER_MILE = 1609.344;
  const CRUISE_METRES_PER_SECOND = 230;
  const JET_STREAM_METRES_PER_SECOND = 20;
  const JET_STREAM_LATITUDE = 0.7; // radians: 40 degrees north
  const JET_STREAM_WIDTH = 0.26; // radians: 15 degrees
  const RANGE_METRES = 22_800_000; // Breguet: speed * lift over drag (16.5) / (9.81 * 17 g of fuel per kN and second)
  const LANDING_MASS_KILOGRAMS = 58_000;
  const TAXI_AND_CLIMB_KILOGRAMS = 900; // fuel
  const CO2_PER_FUEL = 3.16; // kilograms of CO2 per kilogram of fuel

  const eastward = toLongitude - fromLongitude;
  const course = Math.atan2(
    Math.sin(eastward) * Math.cos(toLatitude),
    Math.cos(fromLatitude) * Math.sin(toLatitude) - Math.sin(fromLatitude) * Math.cos(toLatitude) * Math.cos(eastward),
  );
  const offJet = ((fromLatitude + toLatitude) / 2 - JET_STREAM_LATITUDE) / JET_STREAM_WIDTH;
  const tailwind = JET_STREAM_METRES_PER_SECOND * Math.exp(-offJet * offJet) * Math.sin(course);
  const groundSpeed = CRUISE_METRES_PER_SECOND + (Number.isNaN(tailwind) ? 0 : tailwind);
  const metresThroughAir = (miles * METRES_PER_MILE * CRUISE_METRES_PER_SECOND) / groundSpeed;
  const cruiseFuel = LANDING_MASS_KILOGRAMS * Math.expm1(metresThroughAir / RANGE_METRES);
  return CO2_PER_FUEL * (TAXI_AND_CLIMB_KILOGRAMS + cruiseFuel);
}
