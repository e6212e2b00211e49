import type { KeyRing, RingStore } from '../../src/domain/auth/key-ring.ts';
import { Refusal } from '../../src/domain/refusal.ts';

/** A stored ring in memory. */
export class InMemoryRing implements RingStore {
  ring: KeyRing;
  #version = 1;

  constructor(ring: KeyRing) {
    this.ring = ring;
  }

  readonly readRing: RingStore['readRing'] = async () => ({ ring: this.ring, version: String(this.#version) });

  readonly replace: RingStore['replace'] = async (seen, ring) => {
    if (seen.version !== String(this.#version)) throw new Refusal('keys_replaced');
    this.#version += 1;
    this.ring = ring;
  };
}
