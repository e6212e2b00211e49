import { fork } from 'node:child_process';
import { once } from 'node:events';
import { receiverCertificate } from '../../local/certificates.ts';

/** The arrival of a delivery at its endpoint: the number in its payload, and when, as `microseconds`. */
export type Arrival = { readonly mark: number; readonly endpoint: number; readonly at: number };
export type BenchReceiver = Awaited<ReturnType<typeof startReceiver>>;

/** Microseconds of the machine's monotonic clock, which all processes share. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n);

/** Starts TLS endpoints in another process. They answer 200, and close the connection after `/closing`. @param folder for their certificate */
export async function startReceiver(
  folder: string,
  { endpoints = 1, records = false }: { readonly endpoints?: number; readonly records?: boolean } = {},
) {
  const { certificateFile, certificate, key } = receiverCertificate(folder);
  const child = fork(new URL('./receiver-process.ts', import.meta.url), {
    env: {
      RECEIVER_CERTIFICATE: certificate,
      RECEIVER_KEY: key,
      RECEIVER_ENDPOINTS: String(endpoints),
      RECEIVER_RECORDS: String(records),
    },
  });
  const { ports }: { ports: [number, ...number[]] } = (await once(child, 'message'))[0];
  const arrivals: Arrival[] = [];
  let connections = 0;
  child.on('message', (report: { arrivals: Arrival[]; connections: number }) => {
    arrivals.push(...report.arrivals);
    connections = report.connections;
  });
  const urlOf = (port: number) => `https://localhost:${port}/hook`;
  const [first, ...others] = ports;
  const urls: readonly [string, ...string[]] = [urlOf(first), ...others.map(urlOf)];
  return {
    urls,
    authorityFile: certificateFile,
    arrivals: arrivals as readonly Arrival[],
    /** The number of TLS connections that had been opened at the last arrival. */
    connections: () => connections,
    /** Makes an endpoint answer after this many milliseconds; 0 means at once. The others answer at once. */
    hang: (endpoint: number, milliseconds: number) => child.send({ [endpoint]: milliseconds }),
    reset: () => {
      arrivals.length = 0;
    },
    stop: () => child.disconnect(),
  };
}
