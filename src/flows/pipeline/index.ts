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
export { pipeline } from './pipeline.js';
export type { Feed, Pipeline, PipelineSource, ScopedStage, Untyped } from './pipeline-type.js';
export type { NodeWritable, WebWritable } from './writable.js';
