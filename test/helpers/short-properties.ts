/**
 * For the fast part of the tests: each property stops after a while, whatever the number of runs that it asks for. One that
 * counts what it came across names a limit of its own, `TEST_HANG_MS`, and so has all its runs.
 */
import fc from 'fast-check';

/** After how long a property begins no further run (milliseconds). */
const PROPERTY_MS = 100;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  interruptAfterTimeLimit: PROPERTY_MS,
  markInterruptAsFailure: false,
});
