// Builds a schema at first use. A Worker evaluates the modules of all routes when it starts; building their thousand schemas then takes a tenth of
// the start, and no request needs more than a few. The placeholder stands for the built schema: other schemas can contain it, and `instanceof`,
// `.shape` and `.meta()` work. Supports only these kinds: zod registers optional schemas and pipes by identity, which would miss the placeholder.

import { z } from "zod"

type Kind = z.ZodObject | z.ZodUnion | z.ZodArray | z.ZodRecord | z.ZodString

export function later<S extends Kind>(build: () => S): S {
  let built: S | undefined
  const schema = (): S => {
    if (built) return built
    built = build()
    const said = z.globalRegistry.get(built)
    if (said) z.globalRegistry.add(self, said)
    return built
  }
  const self = new Proxy<S>(Object.create(null), {
    // Members are bound to whom they are read from: a schema made of this one refers to it, not to a copy that the API's document would repeat.
    get: (_, key, by) => Reflect.get(schema(), key, by),
    set: (_, key, value) => Reflect.set(schema(), key, value),
    has: (_, key) => Reflect.has(schema(), key),
    defineProperty: (_, key, property) => Reflect.defineProperty(schema(), key, property),
    ownKeys: () => Reflect.ownKeys(schema()),
    getOwnPropertyDescriptor: (_, key) => {
      const property = Reflect.getOwnPropertyDescriptor(schema(), key)
      // A proxy may not say of another object's property that it is fixed.
      return property && { ...property, configurable: true }
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(schema()),
  })
  return self
}
