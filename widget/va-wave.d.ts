/**
 * Types of `window.vaWave` for pages that are written in TypeScript. The service serves this file next to the loader as
 * `/static/va-wave-widget.d.ts`. The compiler checks the loader against these types.
 */

/** A visitor whom the page knows. The widget fills in these values in forms; it sends them only when the visitor sends the form. */
export interface VaWaveVisitor {
  /** Fills fields of type Text whose label or key asks for the name. */
  readonly name?: string;
  /** Fills fields of type Email. */
  readonly email?: string;
  /** Fills fields of any type by their key. These values take precedence. */
  readonly fields?: { readonly [key: string]: string };
}

/** The names of the widget's own texts. */
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
  | 'zeros'
  | 'ambiguous'
  | 'tooLong'
  | 'invalid'
  | 'offline'
  | 'online'
  | 'unread'
  | 'busy'
  | 'failed'
  | 'renewing'
  | 'expired'
  | 'renewed'
  | 'changed'
  | 'autofill';

/** Texts of the page. `language` is their BCP 47 tag, for screen readers, when the widget has no texts in that language. */
export type VaWaveTexts = { readonly [text in VaWaveText]?: string } & { readonly language?: string };

/** The authentication header of a request of the widget. The visitor can see its value; it is not a secret. */
export type VaWaveCredential = { readonly 'X-Site-Id': string } | { readonly 'X-Session-Token': string };

/** The context that a conversation view receives. */
export interface VaWaveConversationContext {
  readonly siteId: string;
  /** Language of the widget's texts, and their direction. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly theme: 'light' | 'dark';
  /** Resolves to the conversation's id; starts a conversation if there is none. After a failure it resolves to null; call it again. */
  conversationId(): Promise<string | null>;
  /** Returns the current header. Call it for each request, because the token can be renewed while the page is open. */
  credential(): VaWaveCredential;
  /** Asks the page for a new session token. Resolves to false when the page sets none within 5 seconds. */
  renewToken(): Promise<boolean>;
  /** Forgets the conversation, for the same visitor with the same drafts, and mounts the view again. */
  newConversation(): void;
}

/** An extension that the specification does not contain: a place in the panel for the platform that runs the assistant. */
export interface VaWaveConversationView {
  /**
   * Called when the panel opens for the first time, and again after new texts, another visitor or a new conversation, always after the
   * function that the last call returned. Not awaited: a view that awaits something catches its own errors.
   * @returns a function that the widget calls when it removes the view. The widget ignores any other value.
   */
  mount(element: HTMLElement, context: VaWaveConversationContext): unknown;
}

export interface VaWaveCommands {
  /** Opens the panel, or the form with this slug. If the widget is not ready yet, it opens as soon as it is. */
  open(form?: string): void;
  close(): void;
  /** Opens the panel if it is closed, and closes it if it is open. */
  toggle(): void;
  /** Returns whether the panel is open. */
  isOpen(): boolean;
  /** Shows on the launcher how many messages the visitor has not read. The opening of the panel sets the number to 0. */
  unread(count: number): void;
  /** Shows the launcher again. */
  show(): void;
  /** Hides the launcher. `open` still works, so a page can have its own button. */
  hide(): void;
  /** Fills empty fields for a visitor whom the page knows. */
  prefill(visitor: VaWaveVisitor): void;
  /** Replaces texts of the widget. */
  texts(texts: VaWaveTexts): void;
  /** Sets the conversation view, and builds the panel again. */
  conversation(view: VaWaveConversationView): void;
  /** `allow` lets the browser keep ids and drafts before the visitor acts. */
  storage(permission: 'allow'): void;
  /** Renews the session token, or sets that of another visitor, at any time. */
  setSessionToken(token: string): void;
  /** Calls back once, when the widget has something to open; at once if it has. */
  ready(callback: () => void): void;
  /** Removes the visitor, the session token, the conversation and the drafts. Call it after a log-out. */
  reset(): void;
  /** Removes the widget from the page. Load the script again to start a new widget. */
  destroy(): void;
}

/**
 * Call `vaWave('open')`. The methods, such as `vaWave.open()`, exist only while the widget runs: not before the loader, not after `destroy`, and
 * not when authentication has failed.
 */
export type VaWave = Readonly<VaWaveCommands> &
  /** Returns the result of the command, or undefined before the start. */
  (<C extends keyof VaWaveCommands>(
    command: C,
    ...values: Parameters<VaWaveCommands[C]>
  ) => ReturnType<VaWaveCommands[C]> | undefined);

/** The events on `document`. With `va-wave:token-expired`, the widget asks the page for a new session token. */
export interface VaWaveEvents {
  'va-wave:ready': CustomEvent<null>;
  'va-wave:removed': CustomEvent<null>;
  'va-wave:open': CustomEvent<null>;
  'va-wave:close': CustomEvent<null>;
  'va-wave:unread': CustomEvent<{ readonly count: number }>;
  'va-wave:submitted': CustomEvent<{ readonly form: string; readonly submission_id: string }>;
  'va-wave:token-expired': CustomEvent<null>;
}

declare global {
  var vaWave: VaWave;
  interface Window {
    vaWave: VaWave;
  }
  interface DocumentEventMap extends VaWaveEvents {}
  interface WindowEventMap extends VaWaveEvents {}
}
