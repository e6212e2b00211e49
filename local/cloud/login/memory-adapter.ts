import type { Adapter, AdapterPayload } from 'oidc-provider';

type Entry = { payload: AdapterPayload; readonly expiresAt: number };

/** The memory with sessions, grants and refresh tokens. After a restart, users log in again. */
const entries = new Map<string, Entry>();

/** The provider's store of one kind of object. */
export class MemoryAdapter implements Adapter {
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    entries.set(`${this.#kind}:${id}`, { payload, expiresAt: Date.now() + expiresIn * 1000 });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#live(`${this.#kind}:${id}`)?.payload;
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#search((payload) => payload.uid === uid);
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#search((payload) => payload.userCode === userCode);
  }

  async consume(id: string): Promise<void> {
    const entry = this.#live(`${this.#kind}:${id}`);
    if (entry !== undefined) entry.payload = { ...entry.payload, consumed: Math.floor(Date.now() / 1000) };
  }

  async destroy(id: string): Promise<void> {
    entries.delete(`${this.#kind}:${id}`);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
  }

  #search(fits: (payload: AdapterPayload) => boolean): AdapterPayload | undefined {
    for (const key of entries.keys()) {
      const entry = key.startsWith(`${this.#kind}:`) ? this.#live(key) : undefined;
      if (entry !== undefined && fits(entry.payload)) return entry.payload;
    }
    return undefined;
  }

  #live(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt > Date.now()) return entry;
    entries.delete(key);
    return undefined;
  }
}
