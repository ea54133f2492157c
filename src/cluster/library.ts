/** What the cluster takes from behind the door of the core. The build makes a part of it, so that the program's one runtime has it. */
import {
  importTasks,
  isTask,
  nameOf,
  packOutcome,
  packTask,
  packValue,
  rootTask,
  stalled,
  unpackOutcome,
  unpackTask,
  unpackValue,
} from '../core/engine.js';

export {
  importTasks,
  isTask,
  nameOf,
  packOutcome,
  packTask,
  packValue,
  rootTask,
  stalled,
  unpackOutcome,
  unpackTask,
  unpackValue,
};
