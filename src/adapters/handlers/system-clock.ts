/** The real time, for the handlers to pass into the domain. */
export const now = (): Date => new Date();

/** For the outbound pipeline: `monotonic` measures, `wall` also passes while the container is frozen. Milliseconds. */
export const outboundClock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};
