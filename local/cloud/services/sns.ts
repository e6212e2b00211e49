import type { SqsEngine } from '../engines/sqs.ts';
import { type AwsService, type ServiceError, UnknownOperation } from '../gateway/aws-request.ts';

/** Known actions; the ones about one topic are checked against it, the others against everything. */
const ACTIONS: ReadonlySet<string> = new Set(['CreateTopic', 'Subscribe', 'Publish']);

/** SNS over its query protocol: a form in, XML out. */
export function sns(engine: SqsEngine): AwsService {
  return {
    refuse: (error) => ({
      status: error.code === 'AccessDeniedException' ? 403 : error.status,
      headers: { 'content-type': 'text/xml' },
      body: errorXml(error),
    }),
    understand(request) {
      const form = new URLSearchParams(request.body.toString('utf8'));
      const action = form.get('Action') ?? '';
      if (!ACTIONS.has(action)) throw new UnknownOperation('sns', action);
      const resource = form.get('TopicArn') ?? '*';
      return {
        checks: [{ action: `sns:${action}`, resource }],
        perform: () => engine.forward(request),
      };
    },
  };
}

function errorXml(error: ServiceError): string {
  const code = error.code === 'AccessDeniedException' ? 'AuthorizationError' : error.code;
  const message = error.message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>local</RequestId></ErrorResponse>`;
}
