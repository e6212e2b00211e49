/** The data with which a worker starts. As in Lambda, all other settings are in its environment. */
export type WorkerStart = {
  /** Folder of the bundle, absolute. */
  readonly codeFolder: string;
  /** `index.handler` */
  readonly handler: string;
  /** Folder where V8 keeps compiled code, absolute. */
  readonly compiledCode: string;
};

/** A call of AWS that a function makes without a socket. The names of headers are in lower case. */
export type Call = {
  readonly id: number;
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
};

/** The answer to the call with this id. */
export type CallAnswer = {
  readonly id: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
};

export type Invocation = {
  readonly requestId: string;
  /** The event as JSON text. */
  readonly event: string;
  /** Unix milliseconds at which the invocation times out. */
  readonly deadline: number;
  readonly functionArn: string;
};

/** Parent to worker. */
export type WorkerRequest =
  | { readonly kind: 'invoke'; readonly invocation: Invocation }
  /** Asks for `alive`. */
  | { readonly kind: 'ask' };

/** Worker to parent. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'alive' }
  /** The function has begun: its first calls are on their way. */
  | { readonly kind: 'begun'; readonly requestId: string }
  | { readonly kind: 'ended'; readonly requestId: string; readonly result: InvocationResult };

/** How an invocation ended, in Lambda's words. */
export type InvocationResult = {
  readonly failed: boolean;
  /** JSON text: what the function returned, or the error. */
  readonly payload: string;
};

/** What Lambda answers when a function throws. */
export type FunctionError = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
};
