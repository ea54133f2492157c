/** Texts as code in browsers, where a Content Security Policy may forbid it. */

let allowed: boolean | undefined;

/** Checks whether this thread may compile texts. Where it may not, the browser reports a violation, once. */
export function mayEvaluate(): boolean {
  try {
    allowed ??= Boolean(new Function(''));
  } catch {
    allowed = false;
  }
  return allowed;
}

export function evaluate(text: string, path: string): unknown {
  try {
    return new Function(`"use strict"; return (${text})\n//# sourceURL=${path}`)();
  } catch (cause) {
    if ((cause as { name?: unknown }).name !== 'EvalError') throw cause;
    throw new EvalError(
      `furcate: a Content Security Policy without 'unsafe-eval' keeps this worker from compiling ${path}, a part of the library that the ` +
        'worker was not started with. Import the modules that use algorithms before the first call that needs workers, or let workers ' +
        "start from a file that imports 'furcate/worker/complete' (createWorker).",
      { cause },
    );
  }
}
