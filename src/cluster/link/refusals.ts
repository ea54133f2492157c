/** What a server means by errors that waiting does not cure. */

/** What the client throws when no server answers that runs JetStream. */
export const isNotEnabled = (error: unknown): boolean => (error as { name?: string }).name === 'JetStreamNotEnabled';

/** What the server said when it refused a subject to the user, if that is in an error. */
export const refusalIn = (error: unknown): string | undefined => {
  for (let one = error; one instanceof Error; one = one.cause)
    if (one.name === 'PermissionViolationError') return one.message;
  return undefined;
};

/** The error as users should read it. */
export function explained(error: unknown): unknown {
  if (isNotEnabled(error))
    return new Error('furcate: the NATS server runs without JetStream. Start it with -js: nats-server -js', {
      cause: error,
    });
  const refusal = refusalIn(error);
  if (refusal !== undefined)
    return new Error(
      `furcate: the NATS server does not permit this user what the cluster needs: ${refusal}. docs/cluster.md lists the subjects.`,
      { cause: error },
    );
  return error;
}
