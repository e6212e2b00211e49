import { type CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';

export type LogQuery = {
  readonly since: Date;
  /** Returns only lines that contain this text. */
  readonly containing?: string | undefined;
};
export type LogLine = { readonly time: string; readonly text: string };

/** Reads the lines of a log group, oldest first. */
export async function* functionLog(
  client: CloudWatchLogsClient,
  logGroupName: string,
  { since, containing }: LogQuery,
): AsyncIterable<LogLine> {
  const input = {
    logGroupName,
    startTime: since.getTime(),
    // A term in quotes is searched literally. The filter syntax cannot express a quote within it.
    ...(containing === undefined ? {} : { filterPattern: `"${containing.replaceAll('"', '')}"` }),
  };
  for await (const { events = [] } of paginateFilterLogEvents({ client }, input)) {
    for (const { timestamp = 0, message = '' } of events) {
      yield { time: new Date(timestamp).toISOString(), text: message.trimEnd() };
    }
  }
}
