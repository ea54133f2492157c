/** AssemblyScript: what the module of the kernels for sorting exports; runs on every thread. */
export * from './bucket-kernels';
export * from './range-kernels';
export * from './merge-kernels';
