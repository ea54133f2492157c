/** The type of an abort signal; nothing of this file runs. */

/**
 * An `AbortSignal`, of any realm or implementation. Spelled out, so that the package's types can be used without those of
 * the DOM or of Node. `once` is no optional property, because one that may be undefined would refuse the platform's signals under
 * `exactOptionalPropertyTypes`.
 */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
