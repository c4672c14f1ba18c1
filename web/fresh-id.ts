// Makes an id that nobody else has. `crypto.randomUUID` exists over TLS alone, and a server of one's own is often opened by its address.

export const freshId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
