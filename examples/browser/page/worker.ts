/** The file of the pool's workers: the library's worker, and the modules of all tasks. */
import 'furcate/worker';
import './data/decode.js';
