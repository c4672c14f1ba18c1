// What the isolate does while a test looks: hashes, texts made of JSON, timers that are no rests, and AbortControllers. All objects of the test share the isolate,
// so nothing else may be under way in it.

import { createHash } from "node:crypto"

const KINDS = ["hashes", "stringify", "timers", "controllers"] as const
/** How often work rests (ports/breath.ts) is up to the machine, so that rests and turns are not counted. */
const LONGEST_REST_MS = 25
export type WorkCounts = Readonly<Record<(typeof KINDS)[number], number>>

/** `seen`: called at each, for a look at who asks. */
export async function workOf(work: () => Promise<void>, seen: (kind: keyof WorkCounts) => void = () => {}): Promise<WorkCounts> {
  const counts = { hashes: 0, stringify: 0, timers: 0, controllers: 0 }
  const noted = (kind: keyof WorkCounts): void => {
    counts[kind]++
    seen(kind)
  }
  const hash = Object.getPrototypeOf(createHash("sha256")) as { digest: (...args: unknown[]) => unknown }
  const real = {
    digest: hash.digest,
    subtle: SubtleCrypto.prototype.digest,
    stringify: JSON.stringify,
    timer: globalThis.setTimeout,
    controller: AbortController,
  }
  hash.digest = function (...args) {
    noted("hashes")
    return Reflect.apply(real.digest, this, args)
  }
  SubtleCrypto.prototype.digest = function (...args) {
    noted("hashes")
    return Reflect.apply(real.subtle, this, args)
  }
  JSON.stringify = new Proxy(real.stringify, {
    apply(to, self, args) {
      noted("stringify")
      return Reflect.apply(to, self, args)
    },
  })
  globalThis.setTimeout = new Proxy(real.timer, {
    apply(to, self, args) {
      if (Number(args[1]) > LONGEST_REST_MS) noted("timers")
      return Reflect.apply(to, self, args)
    },
  })
  globalThis.AbortController = new Proxy(real.controller, {
    construct(to, args) {
      noted("controllers")
      return Reflect.construct(to, args)
    },
  })
  try {
    await work()
    return counts
  } finally {
    hash.digest = real.digest
    SubtleCrypto.prototype.digest = real.subtle
    JSON.stringify = real.stringify
    globalThis.setTimeout = real.timer
    globalThis.AbortController = real.controller
  }
}
