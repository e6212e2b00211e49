/**
 * The newest version of an item that this code reads. It increases when older code would misread a kind of item (docs/architecture.md,
 * "Rolling back"); only that kind is then put with the new version.
 */
export const ITEM_VERSION = 1;

/** Thrown for an item that newer code wrote, and that this code would misread. */
export class NewerItem extends Error {
  override readonly name = 'NewerItem';

  constructor(table: string, version: number | undefined) {
    super(
      `Table ${table} holds an item of version ${version ?? 'unknown'}, but this code reads versions up to ${ITEM_VERSION}: deploy the newer version of va-wave again`,
    );
  }
}

/** Checks the version of an item. An item without a version has version 1. @throws NewerItem */
export function refuseNewer(table: string, v: unknown): void {
  if (v === undefined || (typeof v === 'number' && v <= ITEM_VERSION)) return;
  throw new NewerItem(table, typeof v === 'number' ? v : undefined);
}
