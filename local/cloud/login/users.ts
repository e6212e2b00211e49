import { randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { writeFileAtomically } from '../state/atomic-file.ts';
import { readKept } from '../state/kept-json.ts';

const user = z.object({ pool: z.string(), sub: z.string(), email: z.string(), password: z.string() });
/** A login of the local cloud. Its password protects only a demonstration, and is in a file that only its owner can read. */
export type User = z.infer<typeof user>;

/** The users of the user pool, kept in one file. */
export class Users {
  readonly #file: string;
  readonly #users: User[];

  /** @throws CloudError when the file is there but cannot be read */
  constructor(file: string) {
    this.#file = file;
    this.#users = readKept(file, z.array(user)) ?? [];
  }

  /** Creates a login; undefined when the address already has one. */
  create(pool: string, email: string, password: string): User | undefined {
    if (this.find(pool, email) !== undefined) return undefined;
    const created = { pool, sub: randomUUID(), email, password };
    this.#users.push(created);
    writeFileAtomically(this.#file, `${JSON.stringify(this.#users, null, 2)}\n`);
    return created;
  }

  find(pool: string, email: string): User | undefined {
    return this.#users.find((known) => known.pool === pool && known.email === email.toLowerCase());
  }

  bySub(sub: string): User | undefined {
    return this.#users.find((known) => known.sub === sub);
  }

  /** Returns the login with this address and password. */
  authenticate(email: string, password: string): User | undefined {
    const known = this.#users.find((candidate) => candidate.email === email.trim().toLowerCase());
    if (known === undefined) return undefined;
    const [entered, expected] = [Buffer.from(password), Buffer.from(known.password)];
    return entered.length === expected.length && timingSafeEqual(entered, expected) ? known : undefined;
  }
}
