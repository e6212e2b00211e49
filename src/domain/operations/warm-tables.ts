import { type Capacity, capacityFor, NEW_TABLE } from '../../contract/capacity.ts';

/** Units per second that a table takes at once. */
export type WarmThroughput = { readonly reads: number; readonly writes: number };

export type WarmedTable = {
  readonly read: () => Promise<WarmThroughput>;
  /** DynamoDB can only raise it, and bills the units that it adds. */
  readonly raise: (to: WarmThroughput) => Promise<void>;
};

const NEEDS: Readonly<Record<'configuration' | 'counters' | 'delivery_log', (capacity: Capacity) => WarmThroughput>> = {
  configuration: ({ configurationReads }) => ({ ...NEW_TABLE, reads: configurationReads }),
  counters: ({ counterWrites }) => ({ ...NEW_TABLE, writes: counterWrites }),
  delivery_log: ({ logWrites }) => ({ ...NEW_TABLE, writes: logWrites }),
};
export type WarmTablesPorts = { readonly warmedTables: Readonly<Record<keyof typeof NEEDS, WarmedTable>> };

/**
 * Prepares the tables that events fill or read for this number of deliveries per second. A value that is larger already stays, so the
 * command can be repeated with any number. @returns what each table takes at once now
 */
export async function warmTables(deliveriesPerSecond: number, { warmedTables }: WarmTablesPorts) {
  const capacity = capacityFor(deliveriesPerSecond);
  const names = ['configuration', 'counters', 'delivery_log'] as const;
  return Promise.all(
    names.map(async (table) => {
      const before = await warmedTables[table].read();
      const needed = NEEDS[table](capacity);
      const next = { reads: Math.max(before.reads, needed.reads), writes: Math.max(before.writes, needed.writes) };
      const raised = next.reads > before.reads || next.writes > before.writes;
      if (raised) await warmedTables[table].raise(next);
      return { table, raised, ...next };
    }),
  );
}
