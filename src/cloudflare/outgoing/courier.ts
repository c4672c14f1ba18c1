// Implements couriers [J16]: invocations of this Worker that make calls for an object at its limit. The platform allows six connections and
// 50 or 10,000 calls per invocation, and each courier is a separate invocation. A courier checks nothing: the object has checked every
// address, and redirects return to it unfollowed. Only this Worker's own binding reaches a courier, and it logs nothing, because calls
// contain keys.

import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers"
import { defined } from "../../core/defined.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { Env } from "../platform/env.ts"
import type { Courier, CourierPost, NotSent, Parcel } from "./parcel.ts"

/** `ctx.exports.Couriers`: each call of `hire` is one invocation, which lives until its courier is disposed of. */
export class Couriers extends WorkerEntrypoint<Env> implements CourierPost {
  async hire(): Promise<CallingCourier> {
    return new CallingCourier()
  }
}

class CallingCourier extends RpcTarget implements Courier {
  readonly #calls = new Map<number, AbortController>()

  async send(call: number, { url, method, headers, body }: Parcel): Promise<Response | NotSent> {
    const ending = new AbortController()
    this.#calls.set(call, ending)
    try {
      return await fetch(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        redirect: "manual",
        signal: ending.signal,
        ...defined({ body }),
      })
    } catch (e) {
      // As a value: a call that rejects says that the courier itself is gone.
      return { fault: messageOf(e) }
    }
  }

  async drop(call: number): Promise<void> {
    this.#calls.get(call)?.abort()
    this.#calls.delete(call)
  }
}
