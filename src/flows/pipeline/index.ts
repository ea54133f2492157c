/** Pipelines: what users import. */
export type {
  BatchOptions,
  ExpandOptions,
  FoldOptions,
  PipelineOptions,
  PipelineReduceOptions,
  PipeToOptions,
  StageOptions,
} from './options.js';
export { type Feed, type Pipeline, type PipelineSource, pipeline, type ScopedStage } from './pipeline.js';
export type { NodeWritable, WebWritable } from './writable.js';
