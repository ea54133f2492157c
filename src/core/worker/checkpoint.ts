/** `checkpoint`, for loops of the library and of users; runs on every thread that computes. */
import { builtin } from '../code/registry.js';
import { checkpoint } from './requests.js';

export { checkpoint } from './requests.js';

builtin('checkpoint', checkpoint); // so that it travels in a context
