import { snsClient } from '../../../src/adapters/aws-clients.ts';
import { escalationChannels } from '../../../src/adapters/escalation-topics.ts';
import { FakeAwsServices } from '../../fakes/aws-services.ts';
import { aFormAction, anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { fakeInvocation } from '../../fakes/invocation.ts';

const TOPICS = ['sales', 'night'].map((name) => `arn:aws:sns:eu-central-1:123456789012:va-wave-escalation-${name}`);
const IDS = { conversation_id: 'c-1', submission_id: 'submission-1' };

async function escalated(values: Record<string, string>, topics: readonly string[], refusing: readonly string[] = []) {
  const aws = new FakeAwsServices();
  aws.on('Publish', {}, {});
  for (const TopicArn of refusing) aws.on('Publish', { TopicArn }, new Error('away'));
  const invocation = fakeInvocation();
  const submission = {
    assistant: anAssistant({ escalation_topics: [...topics] }),
    form: aFormAction({ slug: 'contact' }),
    body: { values, ...IDS },
  };
  const outcome = await escalationChannels(snsClient(aws.access()))(submission, invocation);
  const messages: unknown[] = aws.callsOf('Publish').map(({ Message }) => JSON.parse(Message ?? ''));
  return { outcome, messages, failures: invocation.of('forward_failed').length };
}

test('a submission is published to every topic, without its values when it has more than SNS takes', async () => {
  const about = { site_id: SITE_ID, form: 'contact', ...IDS };
  const small = await escalated({ message: 'Grüße' }, TOPICS);
  const whole = { ...about, values: { message: 'Grüße' } };
  expect(small).toEqual({ outcome: 'accepted', messages: [whole, whole], failures: 0 });
  // 150 000 characters of two bytes each.
  const { outcome, messages } = await escalated({ message: 'ü'.repeat(150_000) }, TOPICS.slice(0, 1));
  expect([outcome, messages]).toEqual(['accepted', [{ ...about, values: {}, values_cut: true }]]);
});

test.each([
  ['no topic', [], [], 'none'],
  ['one topic of two refuses', TOPICS, TOPICS.slice(1), 'accepted'],
  ['all topics refuse', TOPICS, TOPICS, 'failed'],
])('%s', async (_, topics, refusing, expected) => {
  const { outcome, failures } = await escalated({}, topics, refusing);
  expect([outcome, failures]).toEqual([expected, refusing.length]);
});
