export default (n) => n + 1;
export { part } from './parts.mjs';
