/** The public functions of this family. */
export { parallelScan, parallelScanSync, type ScanOptions } from './scan.js';
