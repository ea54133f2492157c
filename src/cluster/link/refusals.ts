/** Errors of a server that waiting does not cure, and their meaning. */

/** Checks for the error that the client throws when no server answers that runs JetStream. */
export const isNotEnabled = (error: unknown): boolean => (error as { name?: string }).name === 'JetStreamNotEnabled';

/** JetStream's errors: there is no room to store a message, in files, in memory, or in all that the server may have; the message was not stored, for a reason that its text tells. */
const NO_ROOM: readonly unknown[] = [10047, 10028, 10023];
const NOT_STORED = 10077;

const isNotStored = (error: unknown, why: RegExp): boolean => {
  const { code, message } = error as { readonly code?: number; readonly message?: string };
  return code === NOT_STORED && why.test(message ?? '');
};

/** Returns true if the subject has a message already, which counts. */
export const isTaken = (error: unknown): boolean => isNotStored(error, /per subject/);

/** Checks whether the server has no room for a message: its store or disk is full, or the stream has reached its limit. */
export const isFull = (error: unknown): boolean =>
  NO_ROOM.includes((error as { readonly code?: unknown }).code) ||
  isNotStored(error, /maximum (bytes|messages exceeded)|no space|resource/);

/** JetStream's errors: the cluster has not as many servers as a stream needs, or as a leader needs. Those that start join it one after another. */
const NO_PEERS = 10005;
const NO_LEADER = 10008;
/** The server has no cluster at all. */
const NO_CLUSTER = 10074;
export const hasFewPeers = (error: unknown): boolean =>
  [NO_PEERS, NO_LEADER].includes((error as { readonly code: number }).code);

/** Words with which the server refused a subject to the user, if an error has them. */
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
  if ((error as { readonly code?: number }).code === NO_LEADER)
    return new Error(
      'furcate: the NATS servers have no leader: fewer than half of them are up, or they have just started. Start the others.',
      { cause: error },
    );
  if (hasFewPeers(error) || (error as { readonly code?: number }).code === NO_CLUSTER)
    return new Error('furcate: fewer NATS servers answer than options.replicas needs. Start more, or ask for less.', {
      cause: error,
    });
  if (isFull(error))
    return new Error(
      'furcate: the NATS server has no room to store this: its store is full, or a stream has as many bytes as options.maxBytes allows. Give it more, or have less under way.',
      { cause: error },
    );
  const refusal = refusalIn(error);
  if (refusal !== undefined)
    return new Error(
      `furcate: the NATS server does not permit this user what the cluster needs: ${refusal}. docs/cluster.md lists the subjects.`,
      { cause: error },
    );
  return error;
}
