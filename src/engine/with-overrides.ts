// Replaces some methods of a port. A port may be a Proxy (platform/rooms.ts), whose methods a spread would miss.

/** The literal defines the members of `own`. To assign them would ask a Proxy about each of them, several times in a request. */
export const withOverrides = <Port extends object, Own extends object>(port: Port, own: Own): Omit<Port, keyof Own> & Own =>
  ({ __proto__: port, ...own }) as unknown as Omit<Port, keyof Own> & Own
