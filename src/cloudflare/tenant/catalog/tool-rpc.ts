// A tenant's registered tools, as its object answers for them: written one after another.

import type { ToolDef } from "../../../core/tool/tool-def.ts"
import type { InTurn } from "../../../engine/in-turn.ts"
import type { RegisteredTool, ToolCatalogPort } from "../../../ports/tool-catalog.ts"
import type { ToolStore } from "./tool-store.ts"

export class ToolRpc implements ToolCatalogPort {
  readonly #tools: ToolStore
  readonly #inTurn: InTurn

  constructor(tools: ToolStore, inTurn: InTurn) {
    this.#tools = tools
    this.#inTurn = inTurn
  }

  registered(): Promise<readonly RegisteredTool[]> {
    return this.#tools.registered()
  }

  register(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]> {
    return this.#inTurn(() => this.#tools.register(defs))
  }

  unregister(name: string): Promise<boolean> {
    return this.#inTurn(() => this.#tools.unregister(name))
  }
}
