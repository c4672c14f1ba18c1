// LangGraph: a node for each step, checkpoints in SQLite. `--sync=FULL` makes each checkpoint reach the disk, as Sluice's commits do;
// `NORMAL`, better-sqlite3's default for a write-ahead log, loses the last ones when the machine dies.

import path from "node:path"
import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite"
import { createReactAgent } from "@langchain/langgraph/prebuilt"
import { tool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import { z } from "zod"
import { serve, setting } from "../serve.mjs"
import { AGENTS, CHAIN, finish, taskOf, WIDTH, write, WRITE } from "../work.mjs"

const saver = SqliteSaver.fromConnString(path.join(setting("data"), "checkpoints.db"))
saver.setup()
saver.db.pragma(`synchronous = ${setting("sync")}`)

const State = Annotation.Root({
  task: Annotation(),
  last: Annotation({ reducer: (_, next) => next, default: () => null }),
  at: Annotation({ reducer: (list, more) => [...list, ...more], default: () => [] }),
})

/** Steps in a row. The times are kept outside of the state: a list in it would be written again with every checkpoint. */
function chain(length) {
  const graph = new StateGraph(State)
  for (let i = 0; i < length; i++) {
    graph.addNode(`s${i}`, (_, config) => {
      times.get(config.configurable.thread_id)?.push(performance.now())
      return { task: taskOf(i), last: finish() }
    })
    graph.addEdge(i === 0 ? START : `s${i - 1}`, `s${i}`)
  }
  return graph.addEdge(`s${length - 1}`, END).compile({ checkpointer: saver })
}

function fan() {
  const graph = new StateGraph(State).addNode("join", () => ({ task: "join", last: finish() }))
  const sides = Array.from({ length: WIDTH }, (_, i) => `s${i}`)
  for (const side of sides) graph.addNode(side, () => ({ last: finish() })).addEdge(START, side)
  return graph.addEdge(sides, "join").addEdge("join", END).compile({ checkpointer: saver })
}

function agents() {
  const model = new ChatOpenAI({
    model: "peer",
    apiKey: "none",
    configuration: { baseURL: setting("model") },
    maxRetries: 0,
    useResponsesApi: false,
  })
  const writes = tool((args) => JSON.stringify(write(args)), {
    name: WRITE.name,
    description: WRITE.description,
    schema: z.object({ path: z.string(), content: z.string() }),
  })
  const agent = createReactAgent({ llm: model, tools: [writes], prompt: "Do it, then finish." })
  const graph = new StateGraph(State)
  for (let i = 0; i < AGENTS; i++) {
    graph.addNode(`s${i}`, async (_, config) => {
      const { messages } = await agent.invoke({ messages: [{ role: "user", content: taskOf(i) }] }, config)
      if (messages.at(-1)?.content !== "ok") throw new Error(`the model never finished: ${JSON.stringify(messages)}`)
      return { last: finish() }
    })
    graph.addEdge(i === 0 ? START : `s${i - 1}`, `s${i}`)
  }
  return graph.addEdge(`s${AGENTS - 1}`, END).compile({ checkpointer: saver })
}

const times = new Map()
const graphs = { w1: chain(CHAIN.w1), w2: chain(CHAIN.w2), w3: fan(), w4: agents() }

async function run(work, id) {
  const at = []
  times.set(id, at)
  await graphs[work].invoke({ task: "go" }, { configurable: { thread_id: id }, recursionLimit: 1_000, durability: "sync" })
  times.delete(id)
  return at
}

serve(Object.fromEntries(Object.keys(graphs).map((work) => [work, (id) => run(work, id)])))
