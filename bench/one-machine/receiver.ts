import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { receiverCertificates } from '../../local/receiver-certificates.ts';

/** The arrival of a delivery at its endpoint. */
export type Arrival = {
  /** The number in the event's payload. */
  readonly mark: number;
  readonly endpoint: number;
  /** Microseconds of the machine's monotonic clock, which all processes share. */
  readonly at: number;
};

/** Makes an endpoint answer after this many milliseconds; 0 means at once. */
export type ReceiverCommand = { readonly endpoint: number; readonly hangsFor: number };

export type Receiver = {
  readonly urls: readonly string[];
  /** PEM file of the authority that signed the endpoints' certificate. */
  readonly authorityFile: string;
  readonly arrivals: readonly Arrival[];
  /** The number of TLS connections that were opened until now. */
  connections(): number;
  hang(endpoint: number, milliseconds: number): void;
  /** Clears the arrivals. */
  reset(): void;
  stop(): void;
};

/** Microseconds of the machine's monotonic clock. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n);

/** Starts HTTPS endpoints in another process. @param folder the folder for their certificate */
export async function startReceiver(folder: string, endpoints: number): Promise<Receiver> {
  const { caFile, certificate, key } = receiverCertificates(folder);
  const child = fork(fileURLToPath(new URL('./receiver-process.ts', import.meta.url)), {
    env: { RECEIVER_CERTIFICATE: certificate, RECEIVER_KEY: key, RECEIVER_ENDPOINTS: String(endpoints) },
  });
  const [{ ports }]: [{ ports: number[] }] = [(await once(child, 'message'))[0]];
  const arrivals: Arrival[] = [];
  let connections = 0;
  child.on('message', (report: { arrivals: Arrival[]; connections: number }) => {
    arrivals.push(...report.arrivals);
    connections = report.connections;
  });
  return {
    urls: ports.map((port) => `https://localhost:${port}/hook`),
    authorityFile: caFile,
    arrivals,
    connections: () => connections,
    hang: (endpoint, hangsFor) => child.send({ endpoint, hangsFor } satisfies ReceiverCommand),
    reset: () => {
      arrivals.length = 0;
    },
    stop: () => child.disconnect(),
  };
}
