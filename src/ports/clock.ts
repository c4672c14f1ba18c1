// Provides the only source of time, ids and randomness, so that a simulator can control all three.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** A fresh random id of 26 characters `[0-9a-z]` (130 bits). */
  id(): string
  /** In [0, 1). */
  random(): number
}
