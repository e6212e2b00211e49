import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { traceId } from './trace-id.ts';

/**
 * Formats log lines without the attributes that are the same in every line of a function: ARN, name, memory, and
 * cold start, which Lambda logs itself. They are more bytes than the rest of a line, and logs are billed by the byte (docs/costs.md).
 */
class LeanFormatter extends LogFormatter {
  formatAttributes(
    { logLevel, message, timestamp, serviceName, lambdaContext }: UnformattedAttributes,
    more: LogAttributes,
  ): LogItem {
    return new LogItem({
      attributes: {
        level: logLevel,
        message,
        timestamp: this.formatTimestamp(timestamp),
        service: serviceName,
        function_request_id: lambdaContext?.awsRequestId,
        trace_id: traceId(process.env),
      },
    }).addAttributes(more);
  }
}

/** Creates the logger of a function, which writes one JSON object per line. @param serviceName folder of the function in lambdas/ */
export const functionLogger = (serviceName: string): Logger =>
  new Logger({ serviceName, logFormatter: new LeanFormatter() });
