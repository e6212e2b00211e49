/** Returns the current time. Handlers pass this function to the domain. */
export const now = (): Date => new Date();

/** Clocks of the outbound pipeline in milliseconds. `monotonic` measures durations; `wall` also advances while the container is frozen. */
export const outboundClock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};
