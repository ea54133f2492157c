/** AssemblyScript: all that the module exports; runs on every thread. */
export * from './reduce-kernels';
export * from './scan-kernels';
export * from './filter-kernels';
export * from './histogram-kernels';
export * from './bucket-kernels';
export * from './range-kernels';
export * from './merge-kernels';
