/** Sources of time, randomness and ids. They are passed as arguments, so that tests can freeze them. */
export type Clock = () => Date;
export type RandomBytes = (size: number) => Uint8Array;
export type NewId = () => string;

/** Returns whole Unix seconds. */
export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
