/** The map: a circle for each airport, as large as it has selected flights, and in the colour of their mean delay. */
import { type GeoProjection, geoAlbersUsa, geoPath } from 'd3-geo';
import type { Feature, FeatureCollection } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { decimal, whole } from '../../../flights/words.js';
import type { Tally } from '../crossfilter/tally.js';
import type { Airport } from '../data/flights.js';
import type { Palette } from './colors.js';
import { element } from './page.js';
import { Surface } from './surface.js';

type States = Topology<{ states: GeometryCollection }>;

/** The radius of the largest circle, as a share of the width of the map. */
const LARGEST_CIRCLE = 0.032;
const SMALLEST_RADIUS = 1.2;
const MARGIN = 8;
/** How near to an airport a finger or the pointer must be to ask for it (CSS pixels). */
const REACH = 24;

interface Spot {
  readonly airport: number;
  readonly x: number;
  readonly y: number;
}

export class DelayMap {
  readonly #airports: readonly Airport[];
  readonly #land: FeatureCollection;
  readonly #borders: ReturnType<typeof mesh>;
  readonly #back: Surface;
  readonly #front: Surface;
  readonly #tip = element('#tip');
  #palette: Palette;
  #spots: readonly Spot[] = [];
  #tally: Tally | undefined;
  /** The most flights that an airport has without any filter: the scale of the circles. */
  #most = 1;
  #asked: Spot | undefined;

  static async load(airports: readonly Airport[], palette: Palette): Promise<DelayMap> {
    const response = await fetch('data/us-10m.json');
    return new DelayMap(airports, (await response.json()) as States, palette);
  }

  private constructor(airports: readonly Airport[], topology: States, palette: Palette) {
    this.#airports = airports;
    this.#palette = palette;
    const { states } = topology.objects;
    this.#land = feature(topology, states);
    this.#borders = mesh(topology, states, (a, b) => a !== b);
    this.#back = new Surface(element('#map-back', HTMLCanvasElement), () => this.#layOut());
    this.#front = new Surface(element('#map-front', HTMLCanvasElement), () => this.#redraw());
    this.#layOut();
    this.#front.element.addEventListener('pointermove', (event) => this.#ask(event));
    this.#front.element.addEventListener('pointerdown', (event) => this.#ask(event));
    this.#front.element.addEventListener('pointerleave', () => this.#showTip(undefined));
  }

  set palette(palette: Palette) {
    this.#palette = palette;
    this.#layOut();
  }

  /** Sets the scale by a tally without filters. */
  scaleTo(tally: Tally): void {
    this.#most = Math.max(1, ...tally.flights.subarray(1));
  }

  draw(tally: Tally): void {
    this.#tally = tally;
    this.#redraw();
    if (this.#asked) this.#showTip(this.#asked);
  }

  #layOut(): void {
    const { width, height } = this.#back;
    const projection = geoAlbersUsa().fitExtent(
      [
        [MARGIN, MARGIN],
        [width - MARGIN, height - MARGIN],
      ],
      this.#land,
    );
    this.#drawLand(projection);
    this.#spots = this.#airports.flatMap(({ longitude, latitude }, airport) => {
      const point = Number.isNaN(latitude) ? null : projection([longitude, latitude]);
      return point === null ? [] : [{ airport, x: point[0], y: point[1] }];
    });
    this.#redraw();
  }

  #drawLand(projection: GeoProjection): void {
    const { context } = this.#back;
    const draw = geoPath(projection, context);
    this.#back.clear();
    context.beginPath();
    draw(this.#land);
    context.fillStyle = this.#palette.land;
    context.fill();
    context.beginPath();
    draw(this.#borders as unknown as Feature);
    context.strokeStyle = this.#palette.border;
    context.lineWidth = 0.75;
    context.stroke();
  }

  #redraw(): void {
    const tally = this.#tally;
    if (tally === undefined) return;
    const { context, width } = this.#front;
    this.#front.clear();
    context.globalAlpha = 0.82;
    const largest = Math.max(7, width * LARGEST_CIRCLE);
    for (const { airport, x, y } of this.#spots) {
      const flights = tally.flights[airport];
      if (flights === 0) continue;
      context.fillStyle = this.#palette.delay(tally.late[airport] / flights);
      context.beginPath();
      context.arc(x, y, SMALLEST_RADIUS + largest * Math.sqrt(flights / this.#most), 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  #ask({ offsetX, offsetY }: PointerEvent): void {
    const near = this.#spots
      .filter(({ airport }) => (this.#tally?.flights[airport] ?? 0) > 0)
      .map((spot) => ({ spot, distance: Math.hypot(spot.x - offsetX, spot.y - offsetY) }))
      .filter(({ distance }) => distance < REACH)
      .sort((a, b) => a.distance - b.distance);
    this.#showTip(near[0]?.spot);
  }

  #showTip(spot: Spot | undefined): void {
    this.#asked = spot;
    this.#tip.hidden = spot === undefined || this.#tally === undefined;
    if (spot === undefined || this.#tally === undefined) return;
    const { code, name } = this.#airports[spot.airport];
    const flights = this.#tally.flights[spot.airport];
    const mean = flights === 0 ? '' : `, on average ${decimal(this.#tally.late[spot.airport] / flights, 1)} min late`;
    this.#tip.textContent = `${code} ${name}: ${whole(flights)} flights${mean}`;
    this.#tip.style.left = `${Math.min(Math.max(spot.x, 90), this.#front.width - 90)}px`;
    this.#tip.style.top = `${spot.y}px`;
  }
}
