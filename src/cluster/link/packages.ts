/** The NATS packages, which are optional peers of this package: loaded when a program connects, by their names. */

export type Transport = typeof import('@nats-io/transport-node');
export type JetStream = typeof import('@nats-io/jetstream');

export interface Packages {
  readonly transport: Transport;
  readonly jetstream: JetStream;
}

/** @throws Error that says what to install */
export async function loadPackages(): Promise<Packages> {
  try {
    const [transport, jetstream] = await Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')]);
    return { transport, jetstream };
  } catch (cause) {
    throw new Error(
      'furcate: furcate/cluster needs the NATS client. Install it: npm install @nats-io/transport-node @nats-io/jetstream',
      { cause },
    );
  }
}
