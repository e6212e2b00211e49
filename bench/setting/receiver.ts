import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { receiverCertificates } from '../../local/receiver-certificates.ts';

/** A TLS endpoint in another process. */
export type BenchReceiver = { readonly url: string; readonly authorityFile: string; readonly stop: () => void };

/** Starts the endpoint. @param folder the folder for its certificate */
export async function startReceiver(folder: string): Promise<BenchReceiver> {
  const { caFile, certificate, key } = receiverCertificates(folder);
  const child = fork(fileURLToPath(new URL('./receiver-process.ts', import.meta.url)), {
    env: { RECEIVER_CERTIFICATE: certificate, RECEIVER_KEY: key },
  });
  const [address] = await once(child, 'message');
  return {
    url: `https://localhost:${address.port}/hook`,
    authorityFile: caFile,
    stop: () => child.disconnect(),
  };
}
