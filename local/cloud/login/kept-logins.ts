import * as z from 'zod';
import { readKept, writeKept } from '../state/kept-file.ts';

/** Entries of one kind, so that requests of nobody, which leave interactions, end no login. */
const ENTRIES_OF_KIND_MAX = 1000;

/** `expiresAt` is in unix milliseconds; null = never. */
const entries = z.array(z.tuple([z.string(), z.object({ value: z.unknown(), expiresAt: z.number().nullable() })]));
type Entry = z.infer<typeof entries>[number][1];

/** The store of the OpenID provider, kept in one file, so that a restart ends no login. Its methods are those that the provider's adapter calls. */
export class KeptLogins {
  readonly #file: string;
  readonly #entries: Map<string, Entry>;

  /** @throws CloudError when the file is there but cannot be read */
  constructor(file: string) {
    this.#file = file;
    this.#entries = new Map(readKept(file, entries));
  }

  get(key: string): unknown {
    const entry = this.#entries.get(key);
    return entry === undefined || isOver(entry) ? undefined : entry.value;
  }

  set(key: string, value: unknown, options?: { readonly maxAge: number }): void {
    this.#entries.delete(key);
    // The tokens of a grant are a map. The adapter takes a list of its keys, too.
    const kept = value instanceof Map ? [...value.keys()] : value;
    this.#entries.set(key, { value: kept, expiresAt: options === undefined ? null : Date.now() + options.maxAge });
    this.#keep();
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#keep();
  }

  #keep(): void {
    const counts = new Map<string, number>();
    for (const [key, entry] of [...this.#entries].reverse()) {
      const kind = key.slice(0, key.indexOf(':'));
      const count = (counts.get(kind) ?? 0) + 1;
      if (isOver(entry) || count > ENTRIES_OF_KIND_MAX) this.#entries.delete(key);
      else counts.set(kind, count);
    }
    writeKept(this.#file, [...this.#entries]);
  }
}

const isOver = ({ expiresAt }: Entry): boolean => expiresAt !== null && expiresAt <= Date.now();
