// What users of the package write, in the check of it: code with every export, and a project with a tool of its own.

/** Compiles; what is marked must not. */
export const USER = `import { Sluice, SluiceError, type RunEvent, type RunView } from "sluice"
import { useFlow, useInbox, useRun, type RunState } from "sluice/react"
import { startSluice } from "sluice/testing"
import { defineTool, wrapTool, type Tool } from "sluice/tools"
import { createWorker } from "sluice/worker"

const client = new Sluice({ url: "http://127.0.0.1:8787", key: "k" })
const view: Promise<RunView> = client.runs.get("run_1")
// @ts-expect-error a run has no such method
client.runs.got("run_1")
// @ts-expect-error a start has no such member
void client.flows.start("f", { taks: "t" })
const tool: Tool = defineTool({ name: "t", description: "d", execute: async () => ({ content: [{ type: "text", text: "x" }] }) })
const worker = createWorker({ tools: [tool], around: (one) => wrapTool(one, {}) })
export const kind = (event: RunEvent): string => (event.type === "run.ended" ? event.status : event.type)
export const state = (): RunState["status"] => useRun("r").status
export function useTask(): string | undefined {
  const [started] = useRun("r").events
  // @ts-expect-error a public token does not read the task
  const [seen] = useRun("r", { view: "public" }).events.map((event) => event.type === "run.started" && event.task)
  return seen || started?.type !== "run.started" ? undefined : started.task
}
export { client, SluiceError, startSluice, useFlow, useInbox, view, worker }
`

/** Path → text. */
export const OWN_TOOL: Readonly<Record<string, string>> = {
  "tools/shout.ts": `import { defineTool } from "sluice/tools"
export const shout = defineTool({
  name: "shout",
  description: "Says it loudly.",
  effect: "none",
  contexts: ["main", "agent"],
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: async (_call, { text }) => ({ content: [{ type: "text", text: String(text).toUpperCase() }] }),
})
`,
  "src/index.ts": `import { createWorker } from "sluice/worker"
import { wrapTool, type BeforeHook } from "sluice/tools"
import { shout } from "../tools/shout.ts"
export { Couriers, DirectoryObject, MemoryObject, RunObject, TenantObject } from "sluice/worker"
const before: BeforeHook = ({ args }) => (args["text"] === "no" ? { block: true, reason: "not that word" } : undefined)
export default createWorker({ tools: [shout], around: (tool) => (tool.name === "shout" ? wrapTool(tool, { before }) : tool) })
`,
}
/** Saved once the tool is there. */
export const ITS_FLOW: Readonly<Record<string, string>> = {
  "sluice.yaml": "name: my-flows\ntools: [shout]\n",
  "agents/crier.md": "---\nname: crier\ndescription: d\nmodel: rehearsal/default\ntools: shout\n---\nCry. ${{task}}\n",
  "flows/cry.yaml": "name: cry\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: crier }\n",
  "flows/cry.rehearsal.yaml":
    'steps:\n  a:\n    - { calls: [{ tool: shout, args: { text: ada } }] }\n    - { calls: [{ tool: shout, args: { text: "no" } }] }\n    - finish: { status: complete, summary: done }\n',
}
