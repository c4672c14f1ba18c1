// Every tool that ships, as one list [T1, T2]. What a tool is for and who may be offered it stands in its own file.
//
// `finish` is not here: it is made for each step from its agent's outputs and judged by the kernel [G2].

import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { Tool } from "../ports/tool.ts"
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
import { webFetch } from "./web/web-fetch.ts"
import { webSearch } from "./web/web-search.ts"
import { systemInfo } from "./system-info.ts"
import { write } from "./files/write.ts"

/** Those that need no machine of their own, the host's among them. */
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

/** Granted by role, not by declaration alone [G8, F53]. */
export const ARCHITECT_TOOLS: readonly string[] = [agentCatalog.name, agentWrite.name, flowWrite.name]

/** Those that run, and `ask_user`, which is turned into an interaction: what the kernel looks a call up in. */
export const SPECS: ReadonlyMap<string, ToolSpec> = toolsByName([...TOOLS, askUser])

/** Where command lines run [T20]: in the Worker's own shell, or in a sandbox, which may have a network or none. */
export type Shell = "worker" | "sealed" | "open"

/** Over a sandbox the shells have the same names, and what the guard makes of them is another matter; process.* are there only then. */
export const toolsFor = (shell: Shell): readonly Tool[] => TOOLS_FOR[shell]
export const specsFor = (shell: Shell): ReadonlyMap<string, ToolSpec> => SPECS_FOR[shell]

function over(open: boolean): readonly Tool[] {
  const shells = toolsByName(sandboxShell(open).map(around))
  return [...TOOLS.map((tool) => shells.get(tool.name) ?? tool), ...processTools(open).map(around)]
}

const TOOLS_FOR: Readonly<Record<Shell, readonly Tool[]>> = { worker: TOOLS, sealed: over(false), open: over(true) }
const SPECS_FOR: Readonly<Record<Shell, ReadonlyMap<string, ToolSpec>>> = {
  worker: SPECS,
  sealed: toolsByName([...TOOLS_FOR.sealed, askUser]),
  open: toolsByName([...TOOLS_FOR.open, askUser]),
}

/** Every name that a tool of ours has, here or where more is bound. */
export const TOOL_NAMES: readonly string[] = [...SPECS_FOR.open.keys()]

/** By name. Two tools of one name are our mistake, and found when the Worker starts, not at a call [D4, T2]. */
export function toolsByName<T extends ToolSpec>(tools: readonly T[]): ReadonlyMap<string, T> {
  const byName = new Map<string, T>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are called "${tool.name}"`)
    byName.set(tool.name, tool)
  }
  return byName
}
