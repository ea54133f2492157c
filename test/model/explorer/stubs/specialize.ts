/** A model's threads need no code of their own a class. */
export const recompile = <M>(make: M): M => make;
