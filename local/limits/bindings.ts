// Wraps the Worker's bindings, so that the meter of the calling invocation counts each call.

import type { Env } from "../../src/cloudflare/platform/env.ts"
import type { Meter } from "./meter.ts"

/** undefined: the call belongs to no invocation that is known. */
type Current = () => Meter | undefined
type Call = (...args: readonly unknown[]) => unknown

const OBJECTS = ["RUN", "TENANT", "MEMORY", "DIRECTORY"]
const STORES = ["CACHE", "BLOBS", "BLOBS_EU", "BLOBS_US"]

/** `hasLoader`: Dynamic Workers are part of the plan. */
export function limitedEnv(env: Env, hasLoader: boolean, current: Current): Env {
  const limited = Object.entries(env).flatMap(([name, binding]: [string, unknown]): [string, unknown][] => {
    if (OBJECTS.includes(name)) return [[name, namespace(binding, current)]]
    if (STORES.includes(name)) return [[name, store(binding, current)]]
    if (name === "BROWSER") return [[name, store(binding, current)]]
    if (name === "LOADER") return hasLoader ? [[name, loader(binding, current)]] : []
    return [[name, binding]]
  })
  return Object.fromEntries(limited) as unknown as Env
}

/** Methods of the Worker's own exports that begin an invocation. */
export function limitedExports(exports: unknown, current: Current): unknown {
  return over(exports, (name, entrypoint) =>
    name !== "Couriers"
      ? entrypoint
      : over(entrypoint, (_, hire) => (...args: readonly unknown[]) => {
          current()?.invocation()
          return applied(hire, entrypoint, args)
        }),
  )
}

const namespace = (binding: unknown, current: Current): unknown =>
  over(binding, (name, member) => {
    if (name === "get") return (...args: readonly unknown[]) => stub(applied(member, binding, args), current)
    if (name === "jurisdiction") return (...args: readonly unknown[]) => namespace(applied(member, binding, args), current)
    return bound(member, binding)
  })

/** Every call of a stub is one request to its object. */
const stub = (real: unknown, current: Current): unknown =>
  over(real, (name, member) =>
    typeof member !== "function" || name === "dup"
      ? member
      : (...args: readonly unknown[]) => {
          current()?.inner()
          // `member.apply` would itself be a remote call.
          return applied(member, real, args)
        },
  )

/** KV, R2 and other services: a call is a connection until it is answered. */
const store = (binding: unknown, current: Current): unknown =>
  over(binding, (_, member) =>
    typeof member !== "function"
      ? member
      : async (...args: readonly unknown[]) => {
          const meter = current()
          meter?.inner()
          const work = async (): Promise<unknown> => applied(member, binding, args)
          return meter ? meter.connected(work) : work()
        },
  )

const loader = (binding: unknown, current: Current): unknown =>
  over(binding, (_, get) => (...args: readonly unknown[]) => {
    const isolate = applied(get, binding, args)
    return over(isolate, (__, getEntrypoint) => (...which: readonly unknown[]) => {
      const entrypoint = applied(getEntrypoint, isolate, which)
      return over(entrypoint, (___, call) => async (...of: readonly unknown[]) => {
        const end = current()?.dynamic(String(args[0]))
        return inFlight(applied(call, entrypoint, of), () => end?.())
      })
    })
  })

/** A request is in flight until the body of its answer has ended. */
async function inFlight(answer: unknown, end: () => void): Promise<unknown> {
  let found: unknown
  try {
    found = await answer
  } catch (e) {
    end()
    throw e
  }
  if (!(found instanceof Response) || !found.body) {
    end()
    return found
  }
  const { readable, writable } = new TransformStream()
  found.body.pipeTo(writable).then(end, end)
  return new Response(readable, found)
}

/** An object whose members are what `member` makes of the real ones. */
function over(real: unknown, member: (name: string, value: unknown) => unknown): unknown {
  if (typeof real !== "object" && typeof real !== "function") return real
  if (real === null) return real
  return new Proxy(real, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      return typeof name === "string" && name !== "then" ? member(name, value) : value
    },
  })
}

const bound = (member: unknown, of: unknown): unknown =>
  typeof member === "function" ? (...args: readonly unknown[]) => applied(member, of, args) : member

const applied = (member: unknown, of: unknown, args: readonly unknown[]): unknown => Reflect.apply(member as Call, of, args)
