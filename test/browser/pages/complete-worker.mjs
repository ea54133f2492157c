import '/dist/completeWorker.js';
import './tasks.mjs';
