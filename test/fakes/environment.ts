import type { EndpointAnswer } from '../../src/domain/context.ts';
import type { Clock } from '../../src/domain/sources.ts';
import type { MakeCall } from './tables.ts';
import { textOf, type World } from './world.ts';

/** What may go wrong in a schedule. */
export const FAULTS = [
  'fails before',
  'fails after',
  'is made twice',
  'begins late',
  'answers late',
  'crash',
  'clock jumps',
  'delivered twice',
  'deletion is lost',
] as const;
export type Fault = (typeof FAULTS)[number];
const OF_CALLS: readonly Fault[] = FAULTS.slice(0, 5);

/** The faults of a schedule: few, so that a message can still arrive, and of the kinds that `choose` allowed for this schedule. */
export class Faults {
  /** Faults that have happened. */
  readonly happened = new Set<Fault>();
  readonly #world: World;
  readonly #kinds: readonly Fault[];
  readonly #calls: readonly Fault[];
  readonly #rarity: number;
  #left: number;

  constructor(world: World) {
    this.#world = world;
    const many = world.choose(3);
    const only = world.choose(FAULTS.length);
    this.#kinds = many === 0 ? FAULTS.slice(only, only + 1) : FAULTS.filter(() => world.oneIn(1 + many));
    this.#calls = OF_CALLS.filter((kind) => this.#kinds.includes(kind));
    this.#left = world.choose(6);
    this.#rarity = 4 << world.choose(4);
  }

  /** Returns whether this fault happens now. */
  now(fault: Fault): boolean {
    if (this.#left === 0 || !this.#kinds.includes(fault) || !this.#world.oneIn(this.#rarity)) return false;
    this.#happens(fault);
    return true;
  }

  /** Returns the fault of a call. */
  ofCall(): Fault | undefined {
    if (this.#left === 0 || this.#calls.length === 0 || !this.#world.oneIn(this.#rarity)) return undefined;
    const fault = this.#calls[this.#world.choose(this.#calls.length)];
    if (fault !== undefined) this.#happens(fault);
    return fault;
  }

  #happens(fault: Fault): void {
    this.#left -= 1;
    this.happened.add(fault);
  }
}

/** How late a call can be, in seconds. */
const LATE_SECONDS = [1, 4, 10, 16];

/** One execution environment of a function: its clock, its calls, and its end, after which nothing of it happens any more. */
export class Environment {
  alive = true;
  readonly name: string;
  readonly #world: World;
  readonly #faults: Faults;
  #skew = 0;

  constructor(name: string, world: World, faults: Faults) {
    this.name = name;
    this.#world = world;
    this.#faults = faults;
  }

  readonly now: Clock = () => this.#world.clock(this.#skew);

  jump(): void {
    this.#skew = (this.#world.choose(121) - 60) * 1000;
    this.#world.note(`the clock of ${this.name} is ${this.#skew / 1000} s off`);
  }

  end(): void {
    this.alive = false;
    this.#world.note(`${this.name} ends`);
  }

  /** Makes a call to a service. Its effect and its answer are one step, unless the fault is between them. */
  readonly call: MakeCall = (label, effect, repeatable) =>
    new Promise((resolve, reject) => {
      const world = this.#world;
      const fault = this.#faults.ofCall();
      const settle = () => {
        try {
          resolve(effect());
        } catch (error) {
          reject(error);
        }
      };
      const text = () => `${this.name}: ${textOf(label)}${fault === undefined ? '' : ` (${fault})`}`;
      const delay = () => 1000 * (LATE_SECONDS[world.choose(LATE_SECONDS.length)] ?? 0);
      world.after(fault === 'begins late' ? delay() : 0, text, () => {
        if (!this.alive) {
          // The request may already have been sent.
          if (world.oneIn(2)) quietly(effect);
          return;
        }
        switch (fault) {
          case 'fails before':
            reject(new Error('The service is away'));
            return;
          case 'fails after':
            quietly(effect);
            reject(new Error('The answer was lost'));
            return;
          case 'is made twice':
            // The client repeats a call whose answer was lost.
            if (repeatable) quietly(effect);
            settle();
            return;
          case 'answers late': {
            const answered = outcomeOf(effect);
            world.after(delay(), `${this.name}: the answer of ${textOf(label)}`, () => answered(resolve, reject));
            return;
          }
          default:
            settle();
        }
      });
    });

  /**
   * Makes a request to an endpoint, over a network without faults. As the outbound pipeline, it ends with the invocation and never throws
   * otherwise.
   * @param receive called when the request arrives: says how the endpoint answers, and `over` is called when it has
   * @param stopped called when the invocation ends before
   */
  async request(
    name: string,
    invocation: AbortSignal | undefined,
    receive: () => { readonly outcome: EndpointAnswer; readonly seconds: number; readonly over: () => unknown },
    stopped: () => unknown = () => {},
  ): Promise<EndpointAnswer> {
    invocation?.throwIfAborted();
    const result = Promise.withResolvers<EndpointAnswer>();
    const stop = () => {
      stopped();
      result.reject(invocation?.reason);
    };
    invocation?.addEventListener('abort', stop, { once: true });
    this.#world.after(0, `${this.name}: request ${name}`, () => {
      if (!this.alive || invocation?.aborted) return;
      const { outcome, seconds, over } = receive();
      this.#world.after(seconds * 1000, `the endpoint ends ${name}: ${outcome.error?.code ?? 'ok'}`, () => {
        over();
        if (this.alive) result.resolve(outcome);
      });
    });
    return result.promise.finally(() => invocation?.removeEventListener('abort', stop));
  }
}

function quietly(effect: () => unknown): void {
  outcomeOf(effect);
}

function outcomeOf<Result>(effect: () => Result) {
  try {
    const result = effect();
    return (resolve: (result: Result) => void) => resolve(result);
  } catch (error) {
    return (_: unknown, reject: (error: unknown) => void) => reject(error);
  }
}
