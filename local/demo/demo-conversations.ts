import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import type { Deployment } from '../../cli/deployment.ts';
import { type Conversation, runTurn } from '../../examples/assistant-runtime/turn.ts';
import { vaWave } from '../../examples/assistant-runtime/va-wave.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { BoundedMap } from '../../src/domain/bounded-map.ts';
import type { DemoCloud } from './demo-organization.ts';
import { scriptedModel } from './scripted-model.ts';

/** The maximum number of conversations in memory, more than a run of the demo needs. The oldest is dropped. */
const KEPT_CONVERSATIONS = 500;

type Message = { readonly from: 'visitor' | 'assistant'; readonly text: string; readonly at: string };
/** What the conversation view sends with each request: the credential of the widget, and the origin of the page. */
type Credential = Readonly<Record<'siteId' | 'sessionToken' | 'origin', string | undefined>>;
/** A conversation in memory. Its turns are made one after the other, also those of two tabs: `turn` resolves after the last one. */
type Talk = { readonly conversation: Conversation; readonly transcript: Message[]; turn: Promise<unknown> };
type Visitor = { readonly site_id: string; readonly session_id: string; readonly talk: Talk };

/** The platform that runs the assistant, as the backend of the conversation view. It is no part of the service. */
export function demoConversations(cloud: DemoCloud, orgId: string, { publish }: Pick<Deployment, 'publish'>) {
  const { apiUrl, gatewayUrl: endpoint, region, credentials, outputs } = cloud;
  const lambda = new LambdaClient({ endpoint, region, credentials, maxAttempts: 1 });
  const events = new EventBridgeClient({ endpoint, region, credentials });
  const platformOf = (siteId: string) =>
    vaWave(lambda, events, {
      aiActionFunction: outputs[OUTPUTS.aiAction] ?? '',
      usageReportFunction: outputs[OUTPUTS.usageReport] ?? '',
      eventBus: outputs[OUTPUTS.eventBus] ?? '',
      orgId,
      siteId,
    });
  const talks = new BoundedMap<string, Talk>(KEPT_CONVERSATIONS);

  const talkOf = async (credential: Credential, id: string) => {
    const visitor = await visitorOf(apiUrl, credential, id);
    if (visitor === undefined) return undefined;
    const conversation: Conversation = { id, sessionToken: undefined, messages: [], hasEnded: false };
    const talk = talks.get(id) ?? { conversation, transcript: [], turn: Promise.resolve() };
    talks.set(id, talk);
    return { ...visitor, talk };
  };

  const turnOf = async ({ talk, site_id, session_id }: Visitor, sessionToken: string | undefined, text: string) => {
    const { conversation, transcript } = talk;
    const newMessages: Message[] = [];
    if (conversation.hasEnded) return { messages: newMessages, ended: true };
    const at = () => new Date().toISOString();
    // The token is renewed while the page is open; each turn is reported with the one that it came with.
    const turn = { ...conversation, sessionToken };
    transcript.push({ from: 'visitor', text, at: at() });
    await runTurn(turn, text, {
      model: scriptedModel,
      platform: platformOf(site_id),
      say: async (reply) => {
        newMessages.push({ from: 'assistant', text: reply, at: at() });
      },
      onFault: (what, cause) => console.error(`[demo conversation: ${what}]`, cause instanceof Error ? cause.name : ''),
    });
    conversation.messages = turn.messages;
    conversation.hasEnded = turn.hasEnded;
    transcript.push(...newMessages);
    // The platform decides that a conversation has ended, and puts the event on the bus.
    const data = { conversation_id: conversation.id, session_id, message_count: transcript.length };
    if (turn.hasEnded) await publish({ event: 'conversation.ended', org_id: orgId, site_id, data });
    return { messages: newMessages, ended: conversation.hasEnded };
  };

  return {
    /** What was said so far; undefined when the service does not let the visitor in. */
    read: async (credential: Credential, id: string) => {
      const { talk } = (await talkOf(credential, id)) ?? {};
      return talk && { messages: talk.transcript, ended: talk.conversation.hasEnded };
    },
    /** One turn after those before it, and what the assistant says in it. */
    say: async (credential: Credential, id: string, text: string) => {
      const visitor = await talkOf(credential, id);
      if (visitor === undefined) return undefined;
      const turn = visitor.talk.turn.then(() => turnOf(visitor, credential.sessionToken, text));
      visitor.talk.turn = turn.catch(() => {});
      return turn;
    },
  };
}

const initAnswer = z.object({
  site_id: z.string(),
  conversation_id: z.string().nullable(),
  session_id: z.string().nullable(),
});

/**
 * Asks the service whether this visitor may speak in this conversation: init resumes a conversation only for whom it belongs to, and
 * with `begin_conversation: false` it begins none. A platform with many visitors keeps the answer for as long as the credential is
 * the same, because each init counts towards the hourly limit.
 * @returns undefined when the service does not let the visitor in, or the conversation is another's
 * @throws Error while the service is unavailable, or has had too many requests
 */
async function visitorOf(apiUrl: string, { siteId, sessionToken, origin }: Credential, conversationId: string) {
  const response = await fetch(`${apiUrl}/api/widget/init`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(origin === undefined ? {} : { origin }),
      ...(sessionToken === undefined ? { 'x-site-id': siteId ?? '' } : { 'x-session-token': sessionToken }),
    },
    body: JSON.stringify({ conversation_id: conversationId, begin_conversation: false }),
  });
  if (response.status === 429 || response.status >= 500) throw new Error(`Init answered ${response.status}`);
  if (!response.ok) return undefined;
  const { site_id, conversation_id, session_id } = initAnswer.parse(await response.json());
  return conversation_id === conversationId && session_id !== null ? { site_id, session_id } : undefined;
}
