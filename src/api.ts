/** Everything the library offers. */
export * from './algorithms/index.js';

import './core/async/index.js'; // in what is shipped, a part of its own
import './core/reports/index.js'; // as well

export * from './core/index.js';
export { blocking } from './core/spares/index.js'; // a part as well
