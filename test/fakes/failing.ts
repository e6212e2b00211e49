/** Returns a port behind which nothing can be reached: every call rejects with this message. */
export const failing = (message: string) => async (): Promise<never> => {
  throw new Error(message);
};
