/**
 * Waits until the server has taken what a connection has published to a stream, although no answer has come. A purge may overtake such messages: the
 * server takes those of a stream one after another, and orders apart from them.
 */
import type { Link } from './link.js';

/** A stream that there is not: the server refuses, in its turn, a message that expects it, and stores nothing. */
const NO_STREAM = 'none';
/** JetStream's error: the message expects another stream. */
const OTHER_STREAM = 10060;

/**
 * Resolves when the server has taken all that this connection has published to the stream before.
 *
 * @param subject any of the stream
 * @throws Error when the link is closed
 */
export async function allArrived(link: Link, subject: string): Promise<void> {
  const { client } = link;
  const refused = async (): Promise<void> => {
    try {
      await client.publish(subject, new Uint8Array(), { expect: { streamName: NO_STREAM } });
    } catch (error) {
      if ((error as { readonly code?: number }).code !== OTHER_STREAM) throw error;
    }
  };
  await link.patiently(refused);
}
