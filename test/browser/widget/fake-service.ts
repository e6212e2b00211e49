import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundleWidget } from '../../../lib/bundles.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { startServer } from '../../harness/server.ts';

/** The answer to one request: a status and a body (a string is sent unchanged), no answer at all, or a closed connection. */
export type Reply =
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
      /** Announces more than it sends, and closes the connection. */
      readonly cut?: boolean;
    }
  | 'never'
  | 'hang up';

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  /** The body as it was sent. */
  readonly text: string;
};

export type FakeService = {
  readonly url: string;
  /** The requests of pages of the current origin. */
  readonly received: ReceivedRequest[];
  /** Receives only from pages of this origin from now on. A page of an earlier visit may still send a request while it is closed. */
  visitFrom(origin: string): void;
  /** The answers of init and submit. Assign to change them. */
  init: (request: ReceivedRequest) => Reply | Promise<Reply>;
  submit: (request: ReceivedRequest) => Reply | Promise<Reply>;
  /** Whether the browser hides the answers of the API from the page, as for a page that is not on the Domain. */
  hidden: boolean;
  /** Offers these forms from now on. */
  showForms(...forms: readonly object[]): void;
  /** Returns a file of texts by its name. Assign to change it. */
  texts: (name: string) => string | undefined;
  /** Returns all requests to init or to submit. */
  to(kind: 'init' | 'submit'): ReceivedRequest[];
  /** Clears the received requests and restores the initial answers. */
  reset(): void;
  readonly stop: () => void;
};

export const CONTACT_FORM = {
  slug: 'contact-us',
  name: 'Contact us',
  fields: [
    { key: 'name', label: 'Your name', type: 'Text', required: true },
    { key: 'email', label: 'Email', type: 'Email', required: true },
    { key: 'phone', label: 'Phone', type: 'Phone', required: false },
    { key: 'seats', label: 'How many seats?', type: 'Number', required: false },
    { key: 'message', label: 'Message', type: 'Long text', required: true },
  ],
};
export const CALL_BACK_FORM = {
  slug: 'call-me-back',
  name: 'Call me back',
  fields: [{ key: 'phone', label: 'Phone', type: 'Phone', required: true }],
};

export const INIT = {
  success: true,
  site_id: 'site_test',
  session_id: 'session-1',
  visitor_id: 'visitor-1',
  conversation_id: 'conversation-1',
  forms: [CONTACT_FORM, CALL_BACK_FORM],
};

/** Resumes, starts or omits the conversation as the service does. */
const conversationOf = ({ conversation_id, begin_conversation }: Record<string, unknown>) =>
  conversation_id ?? (begin_conversation === false ? null : INIT.conversation_id);

export const refuse = (status: number, error: string, headers: Record<string, string> = {}): Reply => ({
  status,
  body: errorBody(error),
  headers,
});

/** Starts a fake of the widget's API, for answers that the real service sends only after failures. Any origin may read the answers. */
export async function startFakeService(): Promise<FakeService> {
  const { code, texts } = bundleWidget();
  let current = '';
  const { origin, stop } = await startServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://service');
    if (!service.hidden || pathname.startsWith('/static/')) {
      response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
    }
    response.setHeader('access-control-allow-headers', 'content-type,x-site-id,x-session-token');
    response.setHeader('access-control-expose-headers', 'retry-after');
    if (pathname.startsWith('/static/va-wave-texts')) {
      const content = service.texts(pathname.replace('/static/', ''));
      if (content === undefined) return response.writeHead(404).end();
      return response.setHeader('content-type', 'application/json').end(content);
    }
    if (pathname.startsWith('/static/')) {
      return response.setHeader('content-type', 'text/javascript; charset=utf-8').end(code);
    }
    if (request.method !== 'POST') return response.writeHead(request.method === 'OPTIONS' ? 204 : 404).end();
    const sent = await text(request);
    const seen = { path: request.url ?? '', headers: request.headers, body: JSON.parse(sent), text: sent };
    if (request.headers.origin !== current) return response.destroy();
    service.received.push(seen);
    send(response, await (pathname === '/api/widget/init' ? service.init(seen) : service.submit(seen)));
  });
  const service: FakeService = {
    url: origin,
    received: [],
    visitFrom: (origin) => {
      current = origin;
      service.received.length = 0;
    },
    init: ({ body }) => ({ status: 200, body: { ...INIT, conversation_id: conversationOf(body) } }),
    submit: () => ({ status: 200, body: { success: true, submission_id: 'submission-1' } }),
    hidden: false,
    showForms: (...forms) => {
      service.init = ({ body }) => ({ status: 200, body: { ...INIT, conversation_id: conversationOf(body), forms } });
    },
    texts: (name) => texts.get(name),
    to: (kind) => service.received.filter(({ path }) => path.startsWith('/api/widget/init') === (kind === 'init')),
    reset: () => {
      service.received.length = 0;
      service.hidden = false;
      service.init = first.init;
      service.submit = first.submit;
      service.texts = first.texts;
    },
    stop,
  };
  const first = { init: service.init, submit: service.submit, texts: service.texts };
  return service;
}

export type PageOptions = {
  readonly html: string;
  readonly headers?: Record<string, string>;
  /** Further files of the site by their paths. A path without an extension is a page. Every other path is `html`. */
  readonly files?: Readonly<Record<string, string>>;
};

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

/** Starts the customer's site. It answers for every host name. */
export async function startSite(): Promise<{
  readonly port: string;
  serve(page: PageOptions): void;
  readonly stop: () => void;
}> {
  let page: PageOptions = { html: '' };
  const { port, stop } = await startServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://site');
    const type = `${TYPES[extname(pathname)] ?? 'text/html'}; charset=utf-8`;
    response.writeHead(200, { 'content-type': type, ...page.headers }).end(page.files?.[pathname] ?? page.html);
  });
  return {
    port: String(port),
    serve: (next) => {
      page = next;
    },
    stop,
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'never') return;
  if (reply === 'hang up') {
    response.destroy();
    return;
  }
  const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
  if (reply.cut) response.write(body, () => setTimeout(() => response.destroy(), 50));
  else response.end(body);
}
