// Combines the tools of a run: the built-in ones, and those that its tenant has registered.

import type { Definitions } from "../../engine/catalog/definitions.ts"
import { mcpPeer } from "../../engine/net/mcp-peer.ts"
import type { Tool } from "../../ports/tool.ts"
import { toolOf } from "../../tools/registered/registered-tool.ts"
import { toolboxFor, type Shell } from "../../tools/toolbox.ts"

/** Registered tools come last, so that a run keeps its pinned tool even if a newer built-in tool has the same name. */
export function toolboxOf({ tools }: Definitions, shell: Shell): ReadonlyMap<string, Tool> {
  return tools.length === 0
    ? toolboxFor(shell)
    : new Map([...toolboxFor(shell), ...tools.map((def) => [def.name, toolOf(def, mcpPeer)] as const)])
}
