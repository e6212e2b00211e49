import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

type Call = { readonly operation: string; readonly from: number; to: number };

/** Starts a proxy in front of DynamoDB that records when each call starts and ends. */
export async function startCountingProxy(origin: string) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const call: Call = {
      operation: String(request.headers['x-amz-target']).split('.').at(-1) ?? '',
      from: performance.now(),
      to: Number.POSITIVE_INFINITY,
    };
    calls.push(call);
    const forwarded = httpRequest(origin, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response).on('finish', () => {
        call.to = performance.now();
      });
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Returns the calls since the last `take`, and how many round trips were sequential. */
    take: (): { readonly operations: readonly string[]; readonly roundTrips: number } => {
      const taken = calls.splice(0);
      let roundTrips = 0;
      let end = Number.NEGATIVE_INFINITY;
      for (const { from, to } of taken) {
        if (from >= end) roundTrips += 1;
        end = from >= end ? to : Math.max(end, to);
      }
      return { operations: taken.map(({ operation }) => operation), roundTrips };
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
