/** Pipelines: what users import. */
export { isPipelineFailure, type PipelineFailure } from './failure.js';
export type {
  BatchOptions,
  DistinctOptions,
  ExpandOptions,
  FoldOptions,
  IndexedOptions,
  PipelineOptions,
  PipelineReduceOptions,
  PipeToOptions,
  StageOptions,
  ToArrayOptions,
  WindowOptions,
} from './options.js';
export { pipeline } from './pipeline.js';
export type { Feed, Pipeline, PipelineSource, ScopedStage, Untyped } from './pipeline-type.js';
export type { PipelineProgress, StageProgress } from './progress.js';
export { concat, merge, zip } from './sources.js';
export type { NodeWritable, WebWritable } from './writable.js';
