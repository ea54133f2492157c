/** Draws a Vega-Lite chart as SVG text, without a browser and without a canvas. */
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
