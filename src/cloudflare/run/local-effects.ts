// Recognizes effects that stay inside the run's object: handlers have no network and no bindings, rehearsed and scripted models answer from
// data, and tools of the workspace read and store bodies that only this run's journal can name. Repeating such an effect has no outside
// consequences, so it need not be durable before it begins.

import { parseModelRef } from "../../core/flow/model-ref.ts"
import type { Effect } from "../../core/run/begin.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import type { Tool } from "../../ports/tool.ts"
import { staysLocal } from "../../tools/toolbox.ts"

export class LocalEffects {
  readonly #recent: (name: string) => ProviderSettings | undefined
  readonly #tools: ReadonlyMap<string, Tool>
  /** The providers that this run has used, as their settings last were. */
  readonly #scripted = new Map<string, boolean>()

  /** `recent`: a provider's settings, if another run has read them lately. */
  constructor(recent: (name: string) => ProviderSettings | undefined, tools: ReadonlyMap<string, Tool>) {
    this.#recent = recent
    this.#tools = tools
  }

  /** Remembers what the settings of a provider say each time they are read. */
  watched(ask: (name: string) => Promise<ProviderSettings | undefined>): (name: string) => Promise<ProviderSettings | undefined> {
    return async (name) => {
      const settings = await ask(name)
      this.#scripted.set(name, settings?.kind === "scripted")
      return settings
    }
  }

  /** false for a provider that nothing is known of. */
  hasModel(ref: string): boolean {
    const parsed = parseModelRef(ref)
    if (parsed.kind !== "provider") return false
    const name = parsed.provider
    return name === "rehearsal" || (this.#scripted.get(name) ?? this.#recent(name)?.kind === "scripted")
  }

  has(run: Run, effect: Effect): boolean {
    if (effect.do === "run-code") return true
    if (effect.do === "run-tool") {
      const tool = this.#tools.get(effect.call.name)
      return tool !== undefined && staysLocal(tool)
    }
    if (effect.do !== "call-model") return false
    const { session } = stepState(run, effect.step)
    return session !== undefined && this.hasModel(session.model)
  }
}
