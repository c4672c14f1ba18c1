// Binds streams to the invocation that created them: the platform calls a stream's functions when it is read, and no promise links those
// calls to the invocation.

import { AsyncLocalStorage } from "node:async_hooks"

const STREAMS = ["ReadableStream", "WritableStream", "TransformStream"]

export function keepInvocations(): void {
  for (const name of STREAMS) {
    const real: unknown = Reflect.get(globalThis, name)
    if (typeof real === "function") Reflect.set(globalThis, name, keeping(real))
  }
}

const keeping = (real: object): object =>
  new Proxy(real as new (...args: readonly unknown[]) => object, {
    construct: (target, [source, ...more]: readonly unknown[], self): object =>
      Reflect.construct(target, typeof source === "object" && source !== null ? [bound(source), ...more] : [source, ...more], self),
  })

/** The source with functions that run where they were made. */
const bound = (source: object): object =>
  new Proxy(source, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === "function" ? AsyncLocalStorage.bind(member.bind(target)) : member
    },
  })
