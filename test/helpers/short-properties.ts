/** For the fast part of the tests: each property stops after a while, whatever the number of runs that it asks for. */
import fc from 'fast-check';

/** Part of a second that one property may take (milliseconds); it runs at least once. */
const PROPERTY_MS = 200;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  interruptAfterTimeLimit: PROPERTY_MS,
  markInterruptAsFailure: false,
});
