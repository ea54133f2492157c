import '/dist/worker.js';
import './tasks.mjs';
