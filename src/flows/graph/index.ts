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
export { type GraphRunner, type RunOptions, type TaskGraph, type TaskGraphOptions, taskGraph } from './task-graph.js';
