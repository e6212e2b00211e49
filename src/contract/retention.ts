/** Days for which copies of data remain that no command can erase. The stack sets them; a backup has DynamoDB's maximum. */
export const RETENTION_DAYS = { queues: 4, dead_letters: 14, backups: 35 } as const;

/** What an erasure leaves in the audit trail in place of a text that has an id of the person. */
export const ERASED = 'erased';
