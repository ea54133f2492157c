/**
 * Trusted Types: under `require-trusted-types-for 'script'`, browsers start a worker only from a URL that a named policy has made. The library's policy
 * makes two kinds: that of its own text, and that which the program gives as `browser: { workerUrl }`.
 */

/** The name to be written into `trusted-types` of a Content Security Policy. */
export const POLICY_NAME = 'furcate';

interface Policy {
  createScriptURL(url: string): string;
}

interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | undefined;

/**
 * The URL as `new Worker` takes it.
 *
 * @throws TypeError where a Content Security Policy does not admit the policy
 */
export function trustedUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Factory };
  if (trustedTypes === undefined) return url;
  policy ??= trustedTypes.createPolicy(POLICY_NAME, { createScriptURL: (given) => given });
  return policy.createScriptURL(url);
}
