export type Kill = { readonly victim: string; readonly at: number };

/**
 * Returns the recovery time of each kill: until the last event that was put on the bus before the kill, and had not arrived then, arrived for
 * the first time. Undefined when such an event never arrived. Times are in milliseconds.
 * @param events when each event was put on the bus, and when it arrived
 */
export function recoveryTimes(
  kills: readonly Kill[],
  events: readonly { readonly putAt: number; readonly arrivedAt: number | undefined }[],
): readonly (number | undefined)[] {
  return kills.map(({ at }) => {
    const waiting = events.filter(({ putAt, arrivedAt = Number.POSITIVE_INFINITY }) => putAt <= at && arrivedAt > at);
    const last = Math.max(at, ...waiting.map(({ arrivedAt = Number.POSITIVE_INFINITY }) => arrivedAt));
    return Number.isFinite(last) ? last - at : undefined;
  });
}

/** Lists the recovery times of each victim in seconds, with their median and the longest. */
export function recoveryReport(kills: readonly Kill[], times: readonly (number | undefined)[]): string {
  const victims = [...new Set(kills.map(({ victim }) => victim))];
  const seconds = (time: number | undefined) => (time === undefined ? 'never' : (time / 1000).toFixed(1));
  const sections = victims.map((victim) => {
    const own = times.filter((_, index) => kills[index]?.victim === victim);
    const sorted = [...own].sort((a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY) => a - b);
    const lines = Array.from({ length: Math.ceil(own.length / 10) }, (_, line) =>
      own
        .slice(line * 10, line * 10 + 10)
        .map(seconds)
        .join(' '),
    );
    const median = seconds(sorted[Math.floor(sorted.length / 2)]);
    return [`${victim}: median ${median} s, longest ${seconds(sorted.at(-1))} s; each in seconds:`, ...lines].join(
      '\n',
    );
  });
  return `Recovery times: until every event that was waiting at a kill had arrived\n${sections.join('\n')}`;
}
