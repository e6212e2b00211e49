/** Where the domain gets time, randomness and ids from. Passed in, so that tests can freeze them. */
export type Clock = () => Date;
export type RandomBytes = (size: number) => Uint8Array;
export type NewId = () => string;

/** Whole Unix seconds. */
export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
