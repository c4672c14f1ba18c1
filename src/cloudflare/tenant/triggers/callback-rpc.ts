// A tenant's callbacks, as its object answers for them [W6]: who is told of runs, and what has been told.

import { signingKey } from "../../../engine/net/callback-signature.ts"
import type { CallbackRow, CallbacksPort, MessageRow, Signing } from "../../../ports/callbacks.ts"
import type { CallbackSender } from "./callback-sender.ts"
import type { CallbackStore } from "./callback-store.ts"
import type { SecretStore } from "../keys/secret-store.ts"

export interface CallbackDeps {
  readonly callbacks: CallbackStore
  readonly sender: CallbackSender
  readonly secrets: SecretStore
}

export class CallbackRpc {
  readonly #deps: CallbackDeps

  constructor(deps: CallbackDeps) {
    this.#deps = deps
  }

  async signing(scope: string): Promise<Signing> {
    const { secrets } = this.#deps
    if (!secrets.scopes().includes(scope)) return "no_scope"
    // What was sealed under another key signs nothing.
    const values = await secrets.all(scope).catch(() => [])
    return values.some((value) => signingKey(value) !== undefined) ? "ok" : "no_key"
  }

  create(row: Omit<CallbackRow, "enabled">): CallbackRow | "full" {
    return this.#deps.callbacks.create(row)
  }

  list(): CallbackRow[] {
    return this.#deps.callbacks.list()
  }

  find(id: string): CallbackRow | undefined {
    return this.#deps.callbacks.find(id)
  }

  remove(id: string): boolean {
    return this.#deps.callbacks.remove(id)
  }

  messages(query: Parameters<CallbacksPort["messages"]>[0]): ReturnType<CallbackStore["messages"]> {
    return this.#deps.callbacks.messages(query)
  }

  message(id: string): MessageRow | undefined {
    return this.#deps.callbacks.message(id)
  }

  redrive(id: string): ReturnType<CallbackStore["redrive"]> {
    const done = this.#deps.callbacks.redrive(id, Date.now())
    if (done === "ok") this.#deps.sender.send()
    return done
  }
}
