/** Everything the library offers. */
export * from './algorithms/index.js';

import './core/async/index.js'; // in what is shipped, a part of its own
import './core/spares/index.js'; // as well

export * from './core/index.js';
