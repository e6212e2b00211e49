import * as z from 'zod';
import { writeFileAtomically } from '../state/atomic-file.ts';
import { readKept } from '../state/kept-json.ts';

/** Entries of one kind, so that requests of nobody, which leave interactions, end no login. */
const ENTRIES_OF_KIND_MAX = 1000;

/** `expires_at` is in unix milliseconds; null = never. */
const entries = z.array(z.tuple([z.string(), z.unknown(), z.number().nullable()]));

/** The store of the OpenID provider, kept in one file, so that a restart ends no login. Its methods are those that the provider's adapter calls. */
export class KeptLogins {
  readonly #file: string;
  readonly #entries: Map<string, { readonly value: unknown; readonly expiresAt: number | null }>;

  /** @throws CloudError when the file is there but cannot be read */
  constructor(file: string) {
    this.#file = file;
    const kept = readKept(file, entries) ?? [];
    this.#entries = new Map(kept.map(([key, value, expiresAt]) => [key, { value, expiresAt }]));
  }

  get(key: string): unknown {
    const entry = this.#entries.get(key);
    return entry === undefined || isOver(entry) ? undefined : entry.value;
  }

  set(key: string, value: unknown, options?: { readonly maxAge: number }): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: options === undefined ? null : Date.now() + options.maxAge });
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
    const kept = [...this.#entries].map(([key, { value, expiresAt }]) => [key, value, expiresAt]);
    // The tokens of a grant are a map. The adapter takes a list of its keys, too.
    writeFileAtomically(
      this.#file,
      JSON.stringify(kept, (_, value) => (value instanceof Map ? [...value.keys()] : value)),
    );
  }
}

const isOver = ({ expiresAt }: { readonly expiresAt: number | null }): boolean =>
  expiresAt !== null && expiresAt <= Date.now();
