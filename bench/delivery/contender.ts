/** The settings with which a contender starts. */
export type ContenderSettings = {
  readonly url: string;
  readonly authorityFile: string;
  /** The number of concurrent deliveries. */
  readonly atOnce: number;
  readonly bodyBytes: number;
  /** For contenders that run a bundle: its path, the organization and the Actions. */
  readonly bundle?: string;
  readonly orgId?: string;
  readonly actionIds?: readonly string[];
  /** For the functions of the API: the credentials of the request. */
  readonly siteId?: string;
  readonly serverSecret?: string;
  /** Whether connections are kept open. @default true */
  readonly keepConnections?: boolean;
  /** For the queue worker: the port of Redis, and the folder of its database. */
  readonly redisPort?: number;
  readonly folder?: string;
};

/** A program whose deliveries are measured. It makes `atOnce` concurrent deliveries. */
export type Contender = {
  /** Prepares a round. This is not measured. */
  readonly prepare?: () => Promise<void>;
  /** Delivers until `over()` returns true. Resolves to the number of deliveries. @throws Error when a delivery fails */
  readonly run: (over: () => boolean) => Promise<number>;
};

export type Measurement = {
  readonly deliveries: number;
  readonly seconds: number;
  readonly cpuMs: number;
};

/** Creates a contender that runs `deliver` in this many concurrent loops until the time is over. */
export function inLoops(atOnce: number, deliver: (loop: number) => Promise<void>): Contender {
  return {
    run: async (over) => {
      let deliveries = 0;
      await Promise.all(
        Array.from({ length: atOnce }, async (_, loop) => {
          while (!over()) {
            await deliver(loop);
            deliveries += 1;
          }
        }),
      );
      return deliveries;
    },
  };
}

/** Creates the envelope of an event. Its JSON has about this many bytes. */
export function envelopeOf(id: string, orgId: string, bytes: number) {
  const rows = Math.max(1, Math.round((bytes - 250) / 48));
  return {
    id,
    event: 'message.sent' as const,
    timestamp: '2026-03-04T05:06:07Z',
    data: { messages: Array.from({ length: rows }, (_, row) => ({ row: 10_000 + row, text: 'How can I help you?' })) },
    site_id: 'site_bench',
    org_id: orgId,
  };
}
