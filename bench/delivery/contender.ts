import type { Profiler } from 'node:inspector';

/** What a contender is told when it starts. */
export type ContenderSettings = {
  readonly url: string;
  readonly authorityFile: string;
  /** How many deliveries are under way at any time. */
  readonly atOnce: number;
  readonly bodyBytes: number;
  /** Of contenders that need one: the bundle to run, and whose Actions. */
  readonly bundle?: string;
  readonly orgId?: string;
  readonly actionIds?: readonly string[];
  /** Of the functions of the API: whose request it is. */
  readonly siteId?: string;
  readonly serverSecret?: string;
  /** Of the queue worker: where Redis is, where its rows go, and whether it keeps connections. */
  readonly redisPort?: number;
  readonly folder?: string;
  readonly keepConnections?: boolean;
};

/** A way to deliver. It keeps `atOnce` deliveries under way until it is told to stop. */
export type Contender = {
  /** What has to happen before a round and is not measured. */
  readonly prepare?: () => Promise<void>;
  /** Delivers until `over()`; answers how many deliveries succeeded. @throws when one fails */
  readonly run: (over: () => boolean) => Promise<number>;
};

export type Measurement = {
  readonly deliveries: number;
  readonly seconds: number;
  readonly cpuMs: number;
  /** Where the CPU was, if that was asked for. */
  readonly profile?: Profiler.Profile;
};

/** Keeps this many loops of `deliver` busy until the time is over. */
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

/** The envelope of an event whose JSON has about this many bytes. */
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
