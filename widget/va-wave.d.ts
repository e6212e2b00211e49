/**
 * Types of `window.vaWave`, for pages that are written in TypeScript. Served beside the loader, as
 * `/static/va-wave-widget.d.ts`; the loader itself is held to them.
 */

/** What the page knows of its visitor. Only offered in the visitor's forms; nothing is sent before the visitor sends it. */
export interface VaWaveVisitor {
  /** Goes into fields of type Text whose key is `name` or `full_name`. */
  readonly name?: string;
  /** Goes into fields of type Email. */
  readonly email?: string;
}

/** Everything the widget says by itself. */
export type VaWaveText =
  | 'launcher'
  | 'title'
  | 'intro'
  | 'back'
  | 'close'
  | 'optional'
  | 'send'
  | 'sending'
  | 'retry'
  | 'sentTitle'
  | 'sent'
  | 'another'
  | 'required'
  | 'email'
  | 'number'
  | 'invalid'
  | 'offline'
  | 'busy'
  | 'failed'
  | 'renewing'
  | 'expired'
  | 'renewed';

/** `language`: a BCP 47 tag for screen readers, when the texts are in a language that the widget does not speak. */
export type VaWaveTexts = { readonly [text in VaWaveText]?: string } & { readonly language?: string };

/** Headers that a request of the widget carries. Both are known to the visitor; neither is a secret. */
export type VaWaveCredential = { readonly 'X-Site-Id': string } | { readonly 'X-Session-Token': string };

/** What a conversation view is given. */
export interface VaWaveConversationContext {
  readonly siteId: string;
  /** Language of the widget's texts, and the direction in which they run. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly theme: 'light' | 'dark';
  /** The conversation's id, begun if it has not been; null when it cannot be begun now. May be asked again. */
  conversationId(): Promise<string | null>;
  /** Ask for each request: a token is renewed while the page is open. */
  credential(): VaWaveCredential;
  /** Asks the page for a new session token; false when none came within 5 seconds. */
  renewToken(): Promise<boolean>;
}

/** An extension, no part of the contract: a place in the panel for the platform that runs the assistant. */
export interface VaWaveConversationView {
  /**
   * Called once, at the first opening of the panel.
   * @returns a function that is called when the view is taken away; anything else is ignored
   */
  mount(element: HTMLElement, context: VaWaveConversationContext): unknown;
}

export interface VaWaveCommands {
  /** Opens the panel, or the form with this slug. Before the widget is ready: as soon as it is. */
  open(form?: string): void;
  close(): void;
  /** Shows the launcher again. */
  show(): void;
  /** Takes the launcher away; `open` goes on working, so a page can bring a button of its own. */
  hide(): void;
  /** Fills empty fields for a visitor whom the page knows. */
  prefill(visitor: VaWaveVisitor): void;
  /** Replaces texts of the widget. */
  texts(texts: VaWaveTexts): void;
  conversation(view: VaWaveConversationView): void;
  /** Replaces the session token, at any time. */
  setSessionToken(token: string): void;
  /** Forgets the visitor, the conversation and what was typed, as after a log-out. */
  reset(): void;
  /** Takes everything off the page; loading the script again starts anew. */
  destroy(): void;
}

export type VaWave = Readonly<VaWaveCommands> &
  (<C extends keyof VaWaveCommands>(command: C, ...values: Parameters<VaWaveCommands[C]>) => void);

export interface VaWaveEvents {
  'va-wave:ready': CustomEvent<null>;
  'va-wave:open': CustomEvent<null>;
  'va-wave:close': CustomEvent<null>;
  'va-wave:submitted': CustomEvent<{ readonly form: string; readonly submission_id: string }>;
  'va-wave:token-expired': CustomEvent<null>;
}

declare global {
  interface Window {
    vaWave: VaWave;
  }
  interface DocumentEventMap extends VaWaveEvents {}
  interface WindowEventMap extends VaWaveEvents {}
}
