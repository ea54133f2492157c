/** Workers of a model are its virtual threads: nothing starts them. */
export const workerProgram = undefined;
