/**
 * The newest shape of an item, of whatever kind, that this code reads. Raised for one kind of item when older code would misread it
 * (docs/architecture.md, "Rolling back"); that kind is then put with its own version.
 */
export const ITEM_VERSION = 1;

/** Thrown for an item that newer code wrote, and that this code would misread. */
export class NewerItem extends Error {
  override readonly name = 'NewerItem';

  constructor(table: string, version: number | undefined) {
    super(
      `Table ${table} holds an item of version ${version ?? 'unknown'}, and this code reads up to ${ITEM_VERSION}: deploy the newer version of va-wave again`,
    );
  }
}

/** An item that carries no version has version 1. @throws NewerItem */
export function refuseNewer(table: string, v: unknown): void {
  if (v === undefined || (typeof v === 'number' && v <= ITEM_VERSION)) return;
  throw new NewerItem(table, typeof v === 'number' ? v : undefined);
}
