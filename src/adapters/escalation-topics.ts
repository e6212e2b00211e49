import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import { messageText } from '../contract/queues.ts';
import type { Escalate } from '../domain/context.ts';

/** SNS accepts 256 KB. A larger submission is published without its values, and with `values_cut`. */
const MESSAGE_MAX_BYTES = 256 * 1024;
/** SNS accepts 100 ASCII characters. */
const SUBJECT_MAX = 100;

/** Publishes form submissions to the assistant's SNS topics, which the operator sets (docs/open-points.md). One topic that takes it is enough for `accepted`. */
export function escalationChannels(client: SNSClient): Escalate {
  return async ({ assistant, form, body }, { reportFact }) => {
    const topics = assistant.escalation_topics ?? [];
    if (topics.length === 0) return 'none';
    const submission = { site_id: assistant.site_id, form: form.slug, ...body };
    const whole = messageText(submission);
    const fits = Buffer.byteLength(whole) <= MESSAGE_MAX_BYTES;
    const Subject = `Form submission: ${form.slug}`.slice(0, SUBJECT_MAX);
    const Message = fits ? whole : messageText({ ...submission, values: {}, values_cut: true });
    const publications = topics.map(async (TopicArn) => {
      try {
        await client.send(new PublishCommand({ TopicArn, Subject, Message }));
        return true;
      } catch (cause) {
        reportFact({ kind: 'forward_failed', submission_id: body.submission_id, to: 'escalation', cause });
        return false;
      }
    });
    return (await Promise.all(publications)).includes(true) ? 'accepted' : 'failed';
  };
}
