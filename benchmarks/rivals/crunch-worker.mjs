export { crunch as default } from '../tasks/crunch.mjs';
