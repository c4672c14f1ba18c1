// What the page of a run meets beyond one step: steps side by side, a loop that goes around three times, and a last step that fails once.

import { finish, type Turn } from "../model.ts"

const around = { tool: "finish", args: { status: "complete", summary: "Not yet good.", branch: "loop" } }

export const RUN_SCENES: Readonly<Record<string, readonly Turn[]>> = {
  "read-one": [{ calls: [{ tool: "charges", args: { id: "cus_QK21" } }] }, { calls: [finish("Read the charges.")] }],
  "read-two": [{ calls: [finish("Read the mail.")] }],
  "write-up": [{ text: "I write it up.", calls: [finish("Written.")] }],
  "go-around": [{ calls: [around] }],
  "run-writes": [{ text: "First half. ", gate: "run-writes", calls: [finish("Both halves.")] }],
}

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
