// Turns a registered definition of any kind into a tool that runs [T26, T27].

import type { ToolDef } from "../../core/tool/tool-def.ts"
import type { McpPeer } from "../../ports/mcp.ts"
import type { Tool } from "../../ports/tool.ts"
import { httpTool } from "./http-tool.ts"
import { mcpTool } from "./mcp-tool.ts"
import { aroundAdded } from "../added.ts"
import { around } from "../own.ts"

export const toolOf = (def: ToolDef, peer: McpPeer): Tool => aroundAdded(around(def.kind === "http" ? httpTool(def) : mcpTool(def, peer)))
