/** Random numbers by index: what users import. */
export { type RandomStream, type RandomStreams, randomStreams } from './random-streams.js';
