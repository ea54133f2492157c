/** Lays out the graph as the documentation of graphology-layout-forceatlas2 says. */
import forceAtlas2 from 'graphology-layout-forceatlas2';
import type { Layout, Places } from './config.js';

export const sequential = ({ graph, iterations }: Layout): Places =>
  (forceAtlas2 as unknown as typeof forceAtlas2.default)(graph, { iterations, settings: { barnesHutOptimize: false } });
