// `sluice/tools`: a project's own tools, in three dialects, and hooks around every tool.

export { defineTool } from "../src/engine/dialects/define-tool.ts"
export { fromFlowai } from "../src/engine/dialects/flowai.ts"
export { fromFlynn } from "../src/engine/dialects/flynn.ts"
export { wrapTool } from "../src/engine/run/call/tool-hooks.ts"
export { ToolFailure } from "../src/ports/tool.ts"
export type { ToolDefinition } from "../src/engine/dialects/define-tool.ts"
export type { FlowaiTool } from "../src/engine/dialects/flowai.ts"
export type { FlynnTool } from "../src/engine/dialects/flynn.ts"
export type { AfterHook, BeforeHook, ToolHooks } from "../src/engine/run/call/tool-hooks.ts"
export type { Tool, ToolOutcome, ToolPowers } from "../src/ports/tool.ts"
