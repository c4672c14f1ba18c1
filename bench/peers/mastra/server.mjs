// Mastra: a workflow's steps in libSQL, with the storage's own settings (a write-ahead log, `synchronous = NORMAL`): a snapshot of the run
// is written after each step, and no fsync is waited for.

import path from "node:path"
import { Mastra } from "@mastra/core"
import { Agent } from "@mastra/core/agent"
import { createTool } from "@mastra/core/tools"
import { createStep, createWorkflow } from "@mastra/core/workflows"
import { LibSQLStore } from "@mastra/libsql"
import { z } from "zod"
import { serve, setting } from "../serve.mjs"
import { AGENTS, CHAIN, finish, taskOf, WIDTH, write, WRITE } from "../work.mjs"

const Result = z.object({ status: z.string(), summary: z.string(), files: z.array(z.string()) })
const times = new Map()

const stepOf = (i, execute) =>
  createStep({
    id: `s${i}`,
    description: taskOf(i),
    inputSchema: z.any(),
    outputSchema: Result,
    execute: async ({ runId }) => {
      times.get(runId)?.push(performance.now())
      await execute?.(i)
      return finish()
    },
  })

const flowOf = (id) => createWorkflow({ id, inputSchema: z.object({ task: z.string() }), outputSchema: Result })

function chain(id, length, execute) {
  let flow = flowOf(id)
  for (let i = 0; i < length; i++) flow = flow.then(stepOf(i, execute))
  return flow.commit()
}

const fan = flowOf("w3")
  .parallel(Array.from({ length: WIDTH }, (_, i) => stepOf(i)))
  .then(stepOf("join"))
  .commit()

const agent = new Agent({
  id: "worker",
  name: "worker",
  instructions: "Do it, then finish.",
  model: { providerId: "peer", modelId: "peer", url: setting("model"), apiKey: "none" },
  maxRetries: 0,
  tools: {
    write: createTool({
      id: WRITE.name,
      description: WRITE.description,
      inputSchema: z.object({ path: z.string(), content: z.string() }),
      execute: async (args) => write(args),
    }),
  },
})

const agents = chain("w4", AGENTS, async (i) => {
  const { text } = await agent.generate(taskOf(i), { maxSteps: 4 })
  if (text !== "ok") throw new Error("the model never finished")
})

const workflows = { w1: chain("w1", CHAIN.w1), w2: chain("w2", CHAIN.w2), w3: fan, w4: agents }
const mastra = new Mastra({
  workflows,
  agents: { agent },
  storage: new LibSQLStore({ id: "bench", url: `file:${path.join(setting("data"), "mastra.db")}` }),
  logger: false,
})

async function run(work, id) {
  const at = []
  times.set(id, at)
  const begun = await mastra.getWorkflow(work).createRun({ runId: id })
  const ended = await begun.start({ inputData: { task: "go" } })
  times.delete(id)
  if (ended.status !== "success") throw new Error(JSON.stringify(ended).slice(0, 2_000))
  return at
}

serve(Object.fromEntries(Object.keys(workflows).map((work) => [work, (id) => run(work, id)])))
