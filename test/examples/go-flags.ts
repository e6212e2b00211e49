/**
 * Flags of `go build` and `go vet`. At its first use, Go compiles its standard library, which takes two thirds of the time without
 * optimizations. Commands with the same flags share what is compiled.
 */
export const GO_FLAGS: readonly string[] = ['-gcflags=all=-N -l'];
