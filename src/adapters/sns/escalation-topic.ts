import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { EscalationChannel } from '../../domain/actions/submit-form.ts';

/** SNS takes 256 KB; a submission of the largest values does not fit, and is then cut to what does. */
const MESSAGE_MAX_BYTES = 256 * 1024;
/** SNS takes 100 ASCII characters. */
const SUBJECT_MAX = 100;

/** Delivers form submissions to the assistant's escalation topics, which the operator chose (docs/open-points.md). */
export function escalationTopics(client: SNSClient): EscalationChannel {
  return async ({ assistant, form, body }) => {
    const topics = assistant.escalation_topics ?? [];
    if (topics.length === 0) return 'none';
    const message = JSON.stringify({ site_id: assistant.site_id, form: form.slug, ...body });
    const cut = JSON.stringify({ site_id: assistant.site_id, form: form.slug, ...body, values: {}, values_cut: true });
    const published = await Promise.allSettled(
      topics.map((topic) =>
        client.send(
          new PublishCommand({
            TopicArn: topic,
            Subject: `Form submission: ${form.slug}`.slice(0, SUBJECT_MAX),
            Message: Buffer.byteLength(message) <= MESSAGE_MAX_BYTES ? message : cut,
          }),
        ),
      ),
    );
    return published.some((result) => result.status === 'fulfilled') ? 'accepted' : 'failed';
  };
}
