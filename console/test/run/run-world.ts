// What the page of a run meets beyond one step: steps side by side, a loop that goes around three times, and a last step that fails once.

import { finish, type Turn } from "../model.ts"

const around = { tool: "finish", args: { status: "complete", summary: "Not yet good.", branch: "loop" } }

const LINES = Array.from({ length: 90 }, (_, no) => `Line ${no + 1} of a long answer.`).join("\n")

export const RUN_SCENES: Readonly<Record<string, readonly Turn[]>> = {
  "read-one": [{ calls: [{ tool: "charges", args: { id: "cus_QK21" } }] }, { calls: [finish("Read the charges.")] }],
  "read-two": [{ calls: [finish("Read the mail.")] }],
  "write-up": [{ text: "I write it up.", calls: [finish("Written.")] }],
  "go-around": [{ calls: [around] }],
  "run-long": [
    { text: LINES, gate: "run-long", calls: [{ tool: "charges", args: { id: "cus_QK21" } }] },
    { text: `And more.\n${LINES}`, gate: "run-long-end", calls: [finish("All of it.")] },
  ],
  "no-key": [{ fails: 401 }],
  "run-writes": [{ text: "First half. ", gate: "run-writes", calls: [finish("Both halves.")] }],
}

/** A map whose items each name a scene. */
export const MAP_FLOW = `name: each
description: One run for each ticket.
autonomous: false
inputs:
  tickets: { type: array, required: true }
steps:
  - { id: sort, type: map, over: "\${{flow.input.tickets}}", do: assist, task: "\${{item.task}}", max_concurrent: 8, tolerate: 100% }
`

const agent = (id: string, scene: string, more = ""): string =>
  `  - { id: ${id}, type: agent, agent: helper, task: "scene:${scene}"${more} }\n`

/** `last`: the scene of the step behind the loop. */
export const aroundFlow = (name: string, last: string): string =>
  `name: ${name}
description: Reads side by side, and writes until it is good.
autonomous: false
steps:
${agent("read-charges", "read-one")}${agent("read-mail", "read-two")}${agent("write", "write-up", ", blockedBy: [read-charges, read-mail]")}  - id: judge
    type: agent-loop-decision
    agent: helper
    blockedBy: write
    task: "scene:go-around"
    loop_target: write
    exit_target: send
    max_iterations: 2
${agent("send", last, ", blockedBy: judge")}`
