/** An address of a name, and for how many seconds its name server lets it be kept. */
export type ResolvedAddress = { readonly address: string; readonly ttl: number };

/** Answers for one delivery. The queries of one resolver can be given up together, so every look-up gets its own. */
export type NameResolver = {
  /** Every IPv4 address of a name; rejects with a DNS error code in `code` as node:dns does. */
  resolve4(name: string, options: { readonly ttl: true }): Promise<readonly ResolvedAddress[]>;
  /** Every IPv6 address of a name; rejects likewise. */
  resolve6(name: string, options: { readonly ttl: true }): Promise<readonly ResolvedAddress[]>;
  /** Gives up what is still unanswered. */
  cancel(): void;
};

/**
 * Where requests may go: the shape of the module behind `#network-rule`.
 * It is chosen when a function is bundled, so nothing that can be configured at run time loosens it.
 */
export type NetworkRule = {
  /** Why this IP address must not be connected to; undefined when it may be. */
  readonly addressProblem: (address: string) => string | undefined;
  /** Why this host name must not even be resolved; undefined when it may be. Takes it lower-cased, without a trailing dot. */
  readonly nameProblem: (name: string) => string | undefined;
  readonly createResolver: () => NameResolver;
  /** Certificate authorities (PEM) that are trusted besides the public ones. Read once, when a sender is made. */
  readonly extraCertificateAuthorities: () => readonly string[];
};
