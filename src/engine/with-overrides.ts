// Replaces some methods of a port. A port may be a Proxy (platform/rooms.ts), whose methods a spread would miss.

/** Defines the members of `own` in a literal, because assigning them would query a Proxy for each, several times per request. */
export const withOverrides = <Port extends object, Own extends object>(port: Port, own: Own): Omit<Port, keyof Own> & Own =>
  ({ __proto__: port, ...own }) as unknown as Omit<Port, keyof Own> & Own
