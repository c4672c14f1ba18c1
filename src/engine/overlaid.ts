// Replaces some methods of a port. A port may be a Proxy (platform/rooms.ts), whose methods a spread would miss.

export const overlaid = <Port extends object, Own extends object>(port: Port, own: Own): Omit<Port, keyof Own> & Own =>
  Object.assign(Object.create(port), own)
