// Defines what every peer does, so that all do the same: the payloads of a step, and the turns of an agent with one tool.
//
// w1: 10 durable steps, one after the other. w2: the same with 200. w3: 100 at once and one that joins them. w4: three agent steps;
// each asks its model, carries out one call of the tool `write`, and asks again.

//
// w5: one step. 1,000 runs are started at once, with 50 keys, and no two runs of a key may be at work at a time.

export const CHAIN = { w1: 10, w2: 200 }
export const WIDTH = 100
export const AGENTS = 3

/** The result of a step. Sluice's scripted agents finish with the same. */
export const finish = () => ({ status: "complete", summary: "ok", files: [] })
export const taskOf = (i) => `step ${i}`

/** The tool of w4, as the model is told about it. */
export const WRITE = {
  name: "write",
  description: "Writes a file.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
    additionalProperties: false,
  },
}
export const write = ({ path, content }) => ({ path, bytes: content.length })

/** One agent step for systems without agents of their own. `durable(name, work)` runs `work` once and keeps its result. */
export async function agentStep(i, model, durable) {
  const messages = [
    { role: "system", content: "Do it, then finish." },
    { role: "user", content: taskOf(i) },
  ]
  for (let turn = 0; turn < 4; turn++) {
    const reply = await durable(`model ${i}.${turn}`, () => ask(model, messages))
    if (!reply.tool_calls?.length) return finish()
    messages.push(reply)
    for (const call of reply.tool_calls) {
      const result = await durable(`tool ${i}.${turn}`, () => write(JSON.parse(call.function.arguments)))
      messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(result) })
    }
  }
  throw new Error("the model never finished")
}

async function ask(model, messages) {
  const answer = await fetch(`${model}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify({ model: "peer", messages, tools: [{ type: "function", function: WRITE }] }),
  })
  const { choices } = await answer.json()
  return choices[0].message
}
