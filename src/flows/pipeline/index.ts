/** Pipelines: what users import. */
export { type Pipeline, pipeline } from './pipeline.js';
