// A port with some of its methods replaced. A port may be a Proxy (platform/rooms.ts), whose methods a spread would not see.

export const overlaid = <Port extends object, Own extends object>(port: Port, own: Own): Omit<Port, keyof Own> & Own =>
  Object.assign(Object.create(port), own)
