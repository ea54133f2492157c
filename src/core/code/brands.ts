/** Properties that tell tasks from other objects; not their classes, because another copy of the library may have made them. */

/** Prototypes of all task classes have this property. The prototype of the base of all has it itself. */
export const TASK = Symbol.for('furcate.task');

/** Prototypes of asynchronous task classes have this property. */
export const ASYNC = Symbol.for('furcate.async');
