/** Permissions to read: Deno asks for them, and so does Node with `--permission`. */

/** An environment variable. One that this process may not read counts as not set. */
export function variable(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  try {
    return environment[name];
  } catch {
    return undefined; // Deno without --allow-env
  }
}

/** Cure for an error, if a missing permission has made it. */
export function permissionFor(error: unknown): string | undefined {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  if (name === 'NotCapable') return 'start Deno with --allow-read';
  return code === 'ERR_ACCESS_DENIED' ? 'start Node with --allow-fs-read=* beside --permission' : undefined;
}
