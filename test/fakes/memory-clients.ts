/** What a client of AWS needs to call a fake service. */
export const ACCESS = { region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const SETTINGS = { ...ACCESS, cacheMiddleware: true };
const FIRST = { step: 'initialize', priority: 'high', name: 'memory' } as const;

type Answer<Input> = (input: Input) => Promise<object>;
type Middleware<Input> = () => (call: {
  readonly input: Input;
}) => Promise<{ readonly response: object; readonly output: { readonly $metadata: object } }>;

/**
 * Returns a function that gives each position a client of AWS that answers from memory. Clients are slow to create, so a position keeps
 * its client and only gets another answer.
 */
export function memoryClients<
  Input,
  Client extends { readonly middlewareStack: { add(middleware: Middleware<Input>, options: typeof FIRST): void } },
>(create: (settings: typeof SETTINGS) => Client): (position: number, answer: Answer<Input>) => Client {
  const made: { readonly client: Client; answer: Answer<Input> }[] = [];
  return (position, answer) => {
    const known = made[position];
    if (known !== undefined) {
      known.answer = answer;
      return known.client;
    }
    const one = { client: create(SETTINGS), answer };
    one.client.middlewareStack.add(
      () =>
        async ({ input }) => ({ response: {}, output: { $metadata: {}, ...(await one.answer(input)) } }),
      FIRST,
    );
    made[position] = one;
    return one.client;
  };
}
