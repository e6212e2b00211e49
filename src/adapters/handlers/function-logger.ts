import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';

/**
 * Leaves out what is the same in every line of a function: its ARN, name and memory, whether tracing is on (it is not), and what Lambda's own
 * line of a cold start says. Together they are more bytes than the rest of a line, and logs are billed by the byte (docs/costs.md).
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
      },
    }).addAttributes(more);
  }
}

/** The log of a function, one JSON object per line. @param serviceName the function's folder below lambdas/ */
export const functionLogger = (serviceName: string): Logger =>
  new Logger({ serviceName, logFormatter: new LeanFormatter() });
