// Lists all built-in tools [T1, T2]. Each tool's file defines its purpose and who may be offered it. `finish` is not in the list: it is
// generated for each step from its agent's outputs and checked by the kernel [G2].

import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { Tool } from "../ports/tool.ts"
import { addedTools, aroundAdded } from "./added.ts"
import { agentCatalog } from "./agents/agent-catalog.ts"
import { agentWrite } from "./agents/agent-write.ts"
import { askUser } from "./agents/ask-user.ts"
import { audioTranscribe } from "./objects/audio-transcribe.ts"
import { bash, shellExec } from "./shell/bash.ts"
import { browserClick } from "./browser/browser-click.ts"
import { browserContent } from "./browser/browser-content.ts"
import { browserEval } from "./browser/browser-eval.ts"
import { browserNavigate } from "./browser/browser-navigate.ts"
import { browserScreenshot } from "./browser/browser-screenshot.ts"
import { browserType } from "./browser/browser-type.ts"
import { callAgent } from "./agents/call-agent.ts"
import { edit } from "./files/edit.ts"
import { executePlan } from "./plans/execute-plan.ts"
import { executeQuery } from "./data/execute-query.ts"
import { fileEdit } from "./files/file-edit.ts"
import { fileList } from "./files/file-list.ts"
import { fileRead } from "./files/file-read.ts"
import { fileWrite } from "./files/file-write.ts"
import { find } from "./files/find.ts"
import { flowWrite } from "./agents/flow-write.ts"
import { getCatalogEntities } from "./data/get-catalog-entities.ts"
import { getCatalogRelations } from "./data/get-catalog-relations.ts"
import { getPlan } from "./plans/get-plan.ts"
import { getRelationPaths } from "./data/get-relation-paths.ts"
import { glimpseRef } from "./plans/glimpse-ref.ts"
import { glob } from "./files/glob.ts"
import { imageAnalyze } from "./objects/image-analyze.ts"
import { grep } from "./files/grep.ts"
import { listAgents } from "./agents/list-agents.ts"
import { listSchemaFields } from "./data/list-schema-fields.ts"
import { ls } from "./files/ls.ts"
import { mediaSend } from "./objects/media-send.ts"
import { memoryRead } from "./memory/memory-read.ts"
import { memorySearch } from "./memory/memory-search.ts"
import { memoryWrite } from "./memory/memory-write.ts"
import { MINIO } from "./objects/minio.ts"
import { around, OWN_TOOLS } from "./own.ts"
import { processTools } from "./shell/process.ts"
import { r2Ingest } from "./objects/r2-ingest.ts"
import { r2Share } from "./objects/r2-share.ts"
import { r2Sync } from "./objects/r2-sync.ts"
import { sandboxShell } from "./shell/sandbox-shell.ts"
import { sessionsDelete } from "./agents/sessions-delete.ts"
import { sessionsList } from "./agents/sessions-list.ts"
import { read } from "./files/read.ts"
import { readOutput } from "./files/read-output.ts"
import { resolveRef } from "./plans/resolve-ref.ts"
import { sampleTableData } from "./data/sample-table-data.ts"
import { searchCatalog } from "./data/search-catalog.ts"
import { skillRead } from "./agents/skill-read.ts"
import { storePlan } from "./plans/store-plan.ts"
import { subagent } from "./agents/subagent.ts"
import { k8sDeployments } from "./k8s/k8s-deployments.ts"
import { k8sLogs } from "./k8s/k8s-logs.ts"
import { k8sPods } from "./k8s/k8s-pods.ts"
import { toolSearch } from "./agents/tool-search.ts"
import { webFetch } from "./web/web-fetch.ts"
import { webSearch } from "./web/web-search.ts"
import { systemInfo } from "./system-info.ts"
import { write } from "./files/write.ts"

/** Tools that need no machine, including those of own.ts. */
export const TOOLS: readonly Tool[] = [
  read,
  write,
  edit,
  grep,
  find,
  glob,
  ls,
  fileRead,
  fileWrite,
  fileEdit,
  fileList,
  bash,
  shellExec,
  systemInfo,
  skillRead,
  subagent,
  agentCatalog,
  agentWrite,
  flowWrite,
  readOutput,
  toolSearch,
  webFetch,
  webSearch,
  browserNavigate,
  browserContent,
  browserClick,
  browserType,
  browserScreenshot,
  browserEval,
  k8sPods,
  k8sDeployments,
  k8sLogs,
  memoryRead,
  memoryWrite,
  memorySearch,
  r2Share,
  r2Ingest,
  r2Sync,
  ...MINIO,
  mediaSend,
  imageAnalyze,
  audioTranscribe,
  sessionsList,
  sessionsDelete,
  resolveRef,
  glimpseRef,
  storePlan,
  getPlan,
  executePlan,
  listAgents,
  callAgent,
  searchCatalog,
  getCatalogEntities,
  listSchemaFields,
  getCatalogRelations,
  getRelationPaths,
  sampleTableData,
  executeQuery,
  ...OWN_TOOLS,
].map(around)

/** Tools that read and change the run's own files and nothing else, in their own form: a tool with hooks around it is another one. */
const OF_WORKSPACE: ReadonlySet<Tool> = new Set([read, write, edit, grep, find, glob, ls, fileRead, fileWrite, fileEdit, fileList])

/** [J2] Tells whether a call affects nothing but its run's journal, so that it may begin before the journal records it. */
export const staysLocal = (tool: Tool): boolean => OF_WORKSPACE.has(tool)

/**
 * [J11] Tells whether a call can be repeated when a file was changed in the meantime. The Worker's shell affects only files unless a hook
 * wraps it; requests that it sends are tracked.
 */
export const repeats = (tool: Tool): boolean => OF_WORKSPACE.has(tool) || tool === bash || tool === shellExec

/** Granted by role, not by declaration alone [G8, F53]. */
export const ARCHITECT_TOOLS: readonly string[] = [agentCatalog.name, agentWrite.name, flowWrite.name]

/** All executable tools plus `ask_user`, which becomes an interaction. The kernel looks calls up here. */
export const SPECS: ReadonlyMap<string, ToolSpec> = toolsByName([...TOOLS, askUser])

/** The place where command lines run [T20]: the Worker's own shell, or a sandbox with or without a network. */
export type Shell = "worker" | "sealed" | "open"

/** The tools of an instance. With a sandbox, the guard judges the shells differently, and process.* exist. */
export const toolsFor = (shell: Shell): readonly Tool[] => makeFor(shell).tools
export const specsFor = (shell: Shell): ReadonlyMap<string, ToolSpec> => makeFor(shell).specs
/** The tools by name, made once per isolate. */
export const toolboxFor = (shell: Shell): ReadonlyMap<string, Tool> => makeFor(shell).byName

function over(open: boolean): readonly Tool[] {
  const shells = toolsByName(sandboxShell(open).map(around))
  return [...TOOLS.map((tool) => shells.get(tool.name) ?? tool), ...processTools(open).map(around)]
}

/** Made at the first look-up: a project's Worker adds its tools after this module is loaded. */
const made = new Map<
  Shell,
  { readonly tools: readonly Tool[]; readonly byName: ReadonlyMap<string, Tool>; readonly specs: ReadonlyMap<string, ToolSpec> }
>()

function makeFor(shell: Shell) {
  const present = made.get(shell)
  if (present !== undefined) return present
  const tools = [...(shell === "worker" ? TOOLS : over(shell === "open")), ...addedTools().map(around)].map(aroundAdded)
  const fresh = { tools, byName: toolsByName(tools), specs: toolsByName([...tools, askUser]) }
  made.set(shell, fresh)
  return fresh
}

/** Every tool name of this build and the project's Worker, even if its binding is missing here. */
export const toolNames = (): readonly string[] => [...specsFor("open").keys()]

/** Tools by name. A duplicate name is a bug and stops the Worker at startup, not at a call [D4, T2]. */
export function toolsByName<T extends ToolSpec>(tools: readonly T[]): ReadonlyMap<string, T> {
  const byName = new Map<string, T>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are called "${tool.name}"`)
    byName.set(tool.name, tool)
  }
  return byName
}
