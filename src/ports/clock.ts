// Time, ids and dice come in through here and nowhere else, so that a simulator can hold them.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** A fresh random id of 26 characters `[0-9a-z]` (130 bits). */
  id(): string
  /** In [0, 1). */
  random(): number
}
