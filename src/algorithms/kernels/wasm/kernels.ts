/** AssemblyScript: all that the module exports; runs on every thread. */
export * from './reduce-kernels';
