/** Task graphs: what users import. */
export type {
  Arm,
  GraphBuilder,
  GraphNode,
  InputNodes,
  NodeMaker,
  NodeOptions,
  NodesOrValues,
  ResultsOfNodes,
} from './builder.js';
export { type GraphFailure, isGraphFailure } from './failure.js';
export type { GraphRunner, RunOptions, TaskGraph, TaskGraphOptions } from './graph.js';
export { taskGraph } from './task-graph.js';
