/** A program whose deliveries are measured. It makes several at once until `over()` returns true. @returns their number @throws Error when one fails */
export type Contender = (over: () => boolean) => Promise<number>;

/** The settings of the contenders that send by themselves. */
export type SenderSettings = {
  readonly url: string;
  readonly authorityFile: string;
  /** The number of concurrent deliveries. */
  readonly atOnce: number;
  readonly bodyBytes: number;
  readonly keepConnections: boolean;
};

export type Measurement = {
  readonly deliveries: number;
  readonly seconds: number;
  readonly cpuMs: number;
};

/** Creates a contender that runs `deliver` in this many concurrent loops until the time is over. */
export function inLoops(atOnce: number, deliver: (loop: number) => Promise<void>): Contender {
  return async (over) => {
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
