import { type AwsService, UnknownOperation } from '../gateway.ts';
import type { Queues } from './sqs.ts';

/** Known actions; the ones about one topic are checked against it, the others against everything. */
const ACTIONS: ReadonlySet<string> = new Set(['CreateTopic', 'Subscribe', 'Publish']);

/** SNS over its query protocol: a form in, XML out. */
export const sns = (queues: Queues): AwsService => ({
  refuse: ({ code, status, message }) => {
    const isDenied = code === 'AccessDeniedException';
    const escaped = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return {
      status: isDenied ? 403 : status,
      headers: { 'content-type': 'text/xml' },
      body: `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${isDenied ? 'AuthorizationError' : code}</Code><Message>${escaped}</Message></Error><RequestId>local</RequestId></ErrorResponse>`,
    };
  },
  understand(request) {
    const form = new URLSearchParams(request.body.toString('utf8'));
    const action = form.get('Action') ?? '';
    if (!ACTIONS.has(action)) throw new UnknownOperation('sns', action);
    const resource = form.get('TopicArn') ?? '*';
    return { checks: [{ action: `sns:${action}`, resource }], perform: () => queues.forward(request) };
  },
});
