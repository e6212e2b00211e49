/**
 * Returns a conversation view for the widget: messages and an input field, with your own backend. The view has its own shadow root, so
 * that the styles of the widget and of the page do not affect it. It uses the widget's colours and direction.
 *
 * @example
 * vaWave('conversation', conversationView({ url: '/conversation' }));
 *
 * @param options.url the backend: the view reads messages from `<url>/read` and sends the visitor's messages to `<url>/turns`
 * @param options.texts the view's own texts, and their language
 */
export function conversationView({ url, texts = ENGLISH }) {
  /** The last message: where its draft is kept, and a promise of its text where it was not sent. A view that is mounted meanwhile waits for it. */
  let lastMessage = {};
  return {
    mount(element, context) {
      // The panel may be in another language than the view's texts.
      element.lang = texts.language;
      const clock = new Intl.DateTimeFormat(context.language, { timeStyle: 'short' });
      const root = element.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet()];
      const log = node('div', { role: 'log', tabindex: '0', 'aria-label': texts.log });
      const status = node('p', { role: 'status' });
      const input = node('textarea', { rows: '1', 'aria-label': texts.input, placeholder: texts.input });
      const button = node('button', {}, texts.send);
      const form = node('form', {}, input, button);
      root.append(log, status, form);

      let busy = false;
      let removed = false;
      let draftKey;

      /** Keeps what the visitor types, until it is sent or the view is removed, for this tab and this conversation, whose id only its visitor gets. */
      const keepDraft = () => {
        if (draftKey !== undefined && !removed) drafts('setItem', draftKey, input.value);
      };

      /** Posts with the visitor's credential. Asks the page once for a new token when the backend refuses the credential. */
      const post = async (path, body) => {
        const conversation_id = await context.conversationId();
        if (conversation_id === null) throw new Error('There is no conversation');
        const send = () =>
          fetch(url + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...context.credential() },
            body: JSON.stringify({ conversation_id, ...body }),
          });
        let response = await send();
        if (response.status === 401 && (await context.renewToken())) response = await send();
        if (!response.ok) throw new Error(`${path} answered ${response.status}`);
        return response.json();
      };

      const toEnd = () => {
        log.scrollTop = log.scrollHeight;
      };
      // A visitor who reads older messages stays there. With a zoomed page, the end is a few pixels off.
      let atEnd = true;
      log.addEventListener('scroll', () => {
        atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      });

      /** @param at ISO 8601 time of the message, if the backend knows it */
      const show = (from, text, at) => {
        const said = node('p', { class: from }, node('span', { class: 'who' }, `${texts[from]}: `), ...withLinks(text));
        said.dir = 'auto';
        if (at) said.append(' ', node('time', { datetime: at, lang: context.language }, clock.format(new Date(at))));
        log.append(said);
        toEnd();
      };

      const showEnd = () => {
        const again = node('button', { type: 'button' }, texts.again);
        again.addEventListener('click', () => context.newConversation());
        form.replaceWith(node('div', { class: 'ended' }, node('strong', { role: 'alert' }, texts.ended), again));
        toEnd();
      };

      const say = (text, isFailure = false) => {
        status.textContent = text;
        status.classList.toggle('failed', isFailure);
        if (atEnd) toEnd();
      };
      /** Says how much of the text is too much. Nothing is cut. */
      const fits = () => {
        const excess = [...input.value.trim()].length - MAX_CHARACTERS;
        if (excess > 0) say(`${texts.tooLong} ${excess}`, true);
        else if (status.textContent.startsWith(texts.tooLong)) say('');
        return excess <= 0;
      };

      const giveBack = (text) => {
        input.value = [text, input.value].filter(Boolean).join('\n');
        keepDraft();
        say(texts.failed, true);
      };

      let unread = 0;
      const add = ({ messages, ended }) => {
        for (const { from, text, at } of messages) show(from, text, at);
        if (ended) showEnd();
      };

      const send = async (text) => {
        busy = true;
        form.setAttribute('aria-busy', 'true');
        say(texts.waiting);
        show('visitor', text, new Date().toISOString());
        const shown = log.lastElementChild;
        input.value = '';
        keepDraft();
        const answering = restored.then(() => post('/turns', { text }));
        lastMessage = {
          draftKey,
          unsentText: answering.then(
            () => '',
            () => text,
          ),
        };
        try {
          const answer = await answering;
          // Another visitor may be there now.
          if (removed) return;
          say('');
          add(answer);
          // The visitor has closed the panel while the assistant was writing.
          unread = window.vaWave('isOpen') ? 0 : unread + answer.messages.length;
          window.vaWave('unread', unread);
        } catch {
          // Without an answer, the message returns to the input field, before what the visitor has typed since.
          shown.remove();
          giveBack(text);
        } finally {
          busy = false;
          form.removeAttribute('aria-busy');
        }
      };

      form.addEventListener('submit', (event) => {
        event.preventDefault();
        const text = input.value.trim();
        if (text !== '' && !busy && fits()) send(text);
      });
      input.addEventListener('keydown', (event) => {
        // An input method uses Enter to end a composition, and Safari says so only by this key code.
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
        event.preventDefault();
        form.requestSubmit();
      });

      input.addEventListener('input', () => {
        keepDraft();
        fits();
        // The log shrinks when the input field grows.
        if (atEnd) toEnd();
      });
      const opened = () => {
        unread = 0;
        // On a touch screen the focus would open the keyboard over the conversation.
        if (!matchMedia('(pointer: coarse)').matches) input.focus();
      };
      document.addEventListener('va-wave:open', opened);

      show('assistant', texts.greeting);
      // Loads the earlier messages after a reload. When this fails, the visitor can still write.
      const restore = async () => {
        const id = await context.conversationId();
        if (id === null) return;
        // The widget's `reset` removes keys with this prefix.
        draftKey = `va-wave:view:${id}`;
        input.value ||= drafts('getItem', draftKey) ?? '';
        keepDraft();
        const unsentText = lastMessage.draftKey === draftKey && (await lastMessage.unsentText);
        if (unsentText) giveBack(unsentText);
        add(await post('/read', {}));
      };
      const restored = restore().catch(() => {});
      return () => {
        removed = true;
        document.removeEventListener('va-wave:open', opened);
      };
    },
  };
}

/** What the backend accepts in one message, in code points. */
const MAX_CHARACTERS = 1000;

/** Calls a method of the tab's storage, which a browser may block. */
function drafts(method, ...values) {
  try {
    return sessionStorage[method](...values);
  } catch {
    return null;
  }
}

const ENGLISH = {
  language: 'en',
  log: 'Conversation',
  input: 'Write a message',
  send: 'Send',
  waiting: 'The assistant is writing…',
  failed: 'Your message could not be sent. Please try again.',
  tooLong: 'This message is too long. Characters to remove:',
  greeting: 'Hello! How can I help?',
  visitor: 'You',
  assistant: 'Assistant',
  ended: 'Conversation ended.',
  again: 'New conversation',
};

/** Returns a text with its web addresses as links. */
function withLinks(text) {
  return text
    .split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/)
    .map((part, index) =>
      index % 2 === 0 ? part : node('a', { href: part, target: '_blank', rel: 'noopener noreferrer' }, part),
    );
}

function node(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Returns the styles. The colours, such as `--soft`, are custom properties of the widget. */
function sheet() {
  const made = new CSSStyleSheet();
  made.replaceSync(`
    :host { display: flex; flex-direction: column; }
    *, ::before { box-sizing: border-box; }
    [role=log] { flex: 1; min-height: 0; overflow: auto; overscroll-behavior: contain; padding: 16px 20px; display: flex; flex-direction: column; gap: 10px; }
    p, strong, textarea { margin: 0; unicode-bidi: plaintext; }
    [role=log] p { position: relative; flex: none; max-width: 85%; padding: 8px 13px; border: 1px solid transparent; border-radius: 14px; overflow-wrap: anywhere; white-space: pre-line; }
    .assistant { align-self: flex-start; background: var(--soft); color: var(--fg); border-end-start-radius: 4px; }
    .visitor { align-self: flex-end; background: var(--accent); color: var(--on-accent); border-end-end-radius: 4px; }
    /* Where the system chooses the colors, the border is drawn, and the visitor's is the thicker one. */
    @media (forced-colors: active) { .visitor { border-width: 3px; } }
    a { color: inherit; }
    time { display: block; font-size: 12px; text-align: end; }
    .who { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
    [role=status] { min-height: 24px; padding: 0 20px; color: var(--muted); font-size: 14px; }
    .failed { margin: 0 14px 10px; padding: 8px 12px; border: 1px solid var(--bad); border-radius: 10px; background: var(--bad-bg); color: var(--bad); }
    form, .ended { display: flex; gap: 8px; align-items: center; padding: 10px 14px 14px; border-block-start: 1px solid var(--hairline); }
    .ended { justify-content: space-between; white-space: nowrap; font-size: 14px; }
    .ended button { font-size: 14px; padding-inline: 12px; }
    textarea, button { font: inherit; font-size: 16px; min-height: 44px; border-radius: 10px; margin: 0; }
    textarea { flex: 1; min-width: 0; resize: none; field-sizing: content; max-height: 8em; padding: 9px 12px; border: 1px solid var(--line); background: var(--bg); color: var(--fg); }
    textarea::placeholder { color: var(--muted); opacity: 1; }
    button { padding: 8px 16px; border: 1px solid transparent; background: var(--accent); color: var(--on-accent); font-weight: 650; cursor: pointer; white-space: nowrap; }
    [aria-busy] button { filter: saturate(.55); cursor: progress; }
    :focus-visible { outline: 3px solid var(--fg); outline-offset: 2px; }
    [role=log]:focus-visible { outline-offset: -3px; }
  `);
  return made;
}
