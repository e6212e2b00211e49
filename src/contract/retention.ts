/** Days for which copies of data remain that no command can erase. The stack sets them; a backup has DynamoDB's maximum. */
export const RETENTION_DAYS = { queues: 4, dead_letters: 14, backups: 35 } as const;
