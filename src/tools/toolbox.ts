// Every tool that ships, as one list [T1, T2]. What a tool is for and who may be offered it stands in its own file.
//
// `finish` is not here: it is made for each step from its agent's outputs and judged by the kernel [G2].

import type { ToolSpec } from "../core/tool-spec.ts"
import type { Tool } from "../ports/tool.ts"
import { agentCatalog } from "./agent-catalog.ts"
import { agentWrite } from "./agent-write.ts"
import { askUser } from "./ask-user.ts"
import { audioTranscribe } from "./audio-transcribe.ts"
import { bash, shellExec } from "./bash.ts"
import { browserClick } from "./browser-click.ts"
import { browserContent } from "./browser-content.ts"
import { browserEval } from "./browser-eval.ts"
import { browserNavigate } from "./browser-navigate.ts"
import { browserScreenshot } from "./browser-screenshot.ts"
import { browserType } from "./browser-type.ts"
import { callAgent } from "./call-agent.ts"
import { edit } from "./edit.ts"
import { executePlan } from "./execute-plan.ts"
import { executeQuery } from "./execute-query.ts"
import { fileEdit } from "./file-edit.ts"
import { fileList } from "./file-list.ts"
import { fileRead } from "./file-read.ts"
import { fileWrite } from "./file-write.ts"
import { find } from "./find.ts"
import { flowWrite } from "./flow-write.ts"
import { getCatalogEntities } from "./get-catalog-entities.ts"
import { getCatalogRelations } from "./get-catalog-relations.ts"
import { getPlan } from "./get-plan.ts"
import { getRelationPaths } from "./get-relation-paths.ts"
import { glimpseRef } from "./glimpse-ref.ts"
import { glob } from "./glob.ts"
import { imageAnalyze } from "./image-analyze.ts"
import { grep } from "./grep.ts"
import { listAgents } from "./list-agents.ts"
import { listSchemaFields } from "./list-schema-fields.ts"
import { ls } from "./ls.ts"
import { mediaSend } from "./media-send.ts"
import { memoryRead } from "./memory-read.ts"
import { memorySearch } from "./memory-search.ts"
import { memoryWrite } from "./memory-write.ts"
import { MINIO } from "./minio.ts"
import { around, OWN_TOOLS } from "./own.ts"
import { processTools } from "./process.ts"
import { r2Ingest } from "./r2-ingest.ts"
import { r2Share } from "./r2-share.ts"
import { r2Sync } from "./r2-sync.ts"
import { sandboxShell } from "./sandbox-shell.ts"
import { sessionsDelete } from "./sessions-delete.ts"
import { sessionsList } from "./sessions-list.ts"
import { read } from "./read.ts"
import { readOutput } from "./read-output.ts"
import { resolveRef } from "./resolve-ref.ts"
import { sampleTableData } from "./sample-table-data.ts"
import { searchCatalog } from "./search-catalog.ts"
import { skillRead } from "./skill-read.ts"
import { storePlan } from "./store-plan.ts"
import { subagent } from "./subagent.ts"
import { k8sDeployments } from "./k8s-deployments.ts"
import { k8sLogs } from "./k8s-logs.ts"
import { k8sPods } from "./k8s-pods.ts"
import { webFetch } from "./web-fetch.ts"
import { webSearch } from "./web-search.ts"
import { systemInfo } from "./system-info.ts"
import { write } from "./write.ts"

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
