/** The data with which a worker starts. As in Lambda, all other settings are in its environment. */
export type WorkerStart = {
  /** Folder of the bundle, absolute. */
  readonly codeFolder: string;
  /** `index.handler` */
  readonly handler: string;
  /** Folder where V8 keeps compiled code, absolute. */
  readonly compiledCode: string;
};

/** One invocation, parent to worker. */
export type Invocation = {
  readonly requestId: string;
  /** The event as JSON text. */
  readonly event: string;
  /** Unix milliseconds at which the function is ended. */
  readonly deadline: number;
  readonly functionArn: string;
};

/** Worker to parent. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed-to-start'; readonly error: FunctionError }
  | { readonly kind: 'result'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly error: FunctionError };

/** What Lambda answers when a function throws. */
export type FunctionError = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
};
