import { randomBytes } from 'node:crypto';
import { sealSigningSecret } from '../../../src/domain/delivery/signing-secret.ts';
import { aFormAction, anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { aConversation } from '../../fakes/widget.ts';
import { aws } from './environment.ts';
import { call, type Request } from './invocation.ts';
import { actionItem, SEALING_KEY, slugItem, store } from './stored.ts';

const { handler } = await import('../../../lambdas/form-submit/handler.ts');

const ORIGIN = 'https://shop.example';
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:va-wave-escalation-shop';
const SIGNING_SECRET = 'whsec_DontTellThisSigningSecret';
/** An address that the outbound address rule refuses. */
const BLOCKED = 'https://127.0.0.1/hook';

function setUp(escalation_topics: string[] = []) {
  store(anAssistant({ escalation_topics }));
  aws.on('Publish', {}, {});
  const form = aFormAction({
    url: BLOCKED,
    sealed_signing_secret: sealSigningSecret(SIGNING_SECRET, 'act_form', SEALING_KEY, randomBytes),
  });
  const conversation = aConversation();
  aws.on('GetItem', { TableName: 'conversations' }, { Item: { conversation, expires_at: Date.now() / 1000 + 60 } });
  aws.on('GetItem', { Key: { pk: `SITE#${SITE_ID}`, sk: 'SLUG#Form#contact-us' } }, { Item: slugItem(form) });
  aws.on('GetItem', { Key: { pk: `ORG#${form.org_id}`, sk: 'ACTION#act_form' } }, { Item: actionItem(form) });
}
beforeEach(() => setUp());

const submit = (request: Request = {}) =>
  call(handler, {
    path: `/api/widgets/sites/${SITE_ID}/forms/contact-us/submit`,
    pathParameters: { site_id: SITE_ID, slug: 'contact-us' },
    headers: { origin: ORIGIN, 'x-site-id': SITE_ID },
    body: { conversation_id: 'c-1', values: { email: 'ada@example.com' } },
    ...request,
  });

test('answers 502 when neither endpoint nor channel accepts, and records the blocked attempt', async () => {
  const answer = await submit();
  expect([answer.status, answer.body]).toEqual([
    502,
    { ...errorBody('The submission could not be delivered'), submission_id: expect.any(String) },
  ]);
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' });
  const claims = aws.callsOf('PartiQLInsert', { TableName: 'delivery-log' });
  expect(claims.map((one) => one.Item)).toEqual([expect.objectContaining({ record_state: 'started' })]);
  const error = expect.objectContaining({ code: 'blocked_address' });
  expect(aws.callsOf('PartiQLUpdate', { TableName: 'delivery-log' }).map((one) => one.Set)).toEqual([
    expect.objectContaining({ record_state: 'failed', status: null, error }),
  ]);
  for (const secret of [SIGNING_SECRET, 'DontTell', 'ada@example.com']) expect(answer.log).not.toContain(secret);
});

test('answers 200 with the submission id when an escalation topic accepts, to which a value goes with any key', async () => {
  setUp([TOPIC]);
  const values = '{"email":"ada@example.com","__proto__":"a","constructor":"b"}';
  const answer = await submit({ body: `{"conversation_id":"c-1","values":${values}}` });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ success: true, submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const Message = expect.stringContaining(`"values":${values},"conversation_id":"c-1"`);
  expect(aws.callsOf('Publish')).toMatchObject([{ TopicArn: TOPIC, Message }]);
});
