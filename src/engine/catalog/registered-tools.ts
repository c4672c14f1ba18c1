// Provides registered tools in a run [T26, T27]: the kernel's spec of a pinned definition, and the tools that an agent may call.

import type { Agent } from "../../core/flow/agent.ts"
import { httpSpec } from "../../core/tool/http-tool-spec.ts"
import { isObject } from "../../core/json.ts"
import { mcpSpec } from "../../core/tool/mcp-tool.ts"
import { matchesTool } from "../../core/tool/policy/tool-names.ts"
import type { ToolDef } from "../../core/tool/tool-def.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"

/** A registered tool: its name and the hash of its definition. */
export interface Registered {
  readonly name: string
  readonly hash: string
  /** [F79] The file of the catalog that makes it. */
  readonly file?: string
}

export const specOf = (def: ToolDef): ToolSpec => (def.kind === "http" ? httpSpec(def) : mcpSpec(def))

/** The tools that any of these agents may call: by name, by glob, or because it has every tool that is not denied [F53]. */
export function toolsFor(agents: Iterable<Agent>, registered: readonly Registered[]): readonly Registered[] {
  const wishes = [...agents].map((agent) => agent.tools)
  return registered.filter(({ name }) =>
    wishes.some((wish) =>
      wish.kind === "list"
        ? wish.names.some((named) => matchesTool(named, { name }))
        : !wish.denied.some((denied) => matchesTool(denied, { name })),
    ),
  )
}

/** The body was checked before it was stored under its hash, so only its basic shape is checked here. */
export function readToolDef(text: string): ToolDef | undefined {
  const value: unknown = JSON.parse(text)
  return isToolDef(value) ? value : undefined
}

const isToolDef = (value: unknown): value is ToolDef =>
  isObject(value) &&
  (value["kind"] === "http" || value["kind"] === "mcp") &&
  typeof value["name"] === "string" &&
  isObject(value["parameters"])
