import { createServer, Packet } from 'dns2';
import { freePort } from '../../../../local/cloud/listener.ts';

export type Records = {
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  /** Names of an alias chain: each is an alias of the next, and the last has the addresses. */
  readonly aliases?: readonly string[];
  /** Sends no response. */
  readonly silent?: boolean;
  /** Ignores AAAA queries. */
  readonly ignoresAaaa?: boolean;
  readonly rcode?: number;
  /** Time to live in seconds. @default 0 */
  readonly ttl?: number;
};

export type NameServer = {
  /** Address in the form for `Resolver.setServers`. */
  readonly server: string;
  /** Records by name. They are read for every query, so that a test can change them. */
  readonly zone: Map<string, Records | (() => Records)>;
  readonly queries: string[];
  stop(): Promise<void>;
};

/** Starts a DNS server on loopback for UDP and TCP. Names that are not in its zone do not exist. */
export async function startNameServer(): Promise<NameServer> {
  const zone: NameServer['zone'] = new Map();
  const queries: string[] = [];
  const server = createServer({
    udp: true,
    tcp: true,
    handle: (request, send) => {
      const question = request.questions[0];
      if (question === undefined) return;
      const name = question.name.toLowerCase();
      queries.push(`${question.type === Packet.TYPE.A ? 'A' : 'AAAA'} ${name}`);
      const entry = zone.get(name);
      const records = typeof entry === 'function' ? entry() : entry;
      const response = Packet.createResponseFromRequest(request);
      response.header.rcode = records === undefined ? Packet.RCODE.NXDOMAIN : (records.rcode ?? 0);
      if (records?.silent || (records?.ignoresAaaa && question.type === Packet.TYPE.AAAA)) return;
      const chain = [name, ...(records?.aliases ?? [])];
      const add = (owner: string | undefined, type: number, rest: { domain?: string; address?: string }) => {
        response.answers.push(
          Object.assign(new Packet.Resource(owner, type, Packet.CLASS.IN, records?.ttl ?? 0), rest),
        );
      };
      for (const [index, domain] of chain.slice(1).entries()) add(chain[index], Packet.TYPE.CNAME, { domain });
      const addresses = question.type === Packet.TYPE.A ? records?.a : records?.aaaa;
      for (const address of addresses ?? []) add(chain.at(-1), question.type, { address });
      send(response);
    },
  });
  const port = await freePort();
  await server.listen({ udp: { port, address: '127.0.0.1' }, tcp: { port, address: '127.0.0.1' } });
  return {
    server: `127.0.0.1:${port}`,
    zone,
    queries,
    stop: async () => void (await server.close()),
  };
}
