// A step's files, and the members of finish that no one requires: neither may cost a run.

import { describe, expect, test } from "vitest"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import type { JsonObject } from "../../../../src/core/json.ts"
import { MAX_STEP_FILES } from "../../../../src/core/run/session/files/step-files.ts"
import type { FileWrite } from "../../../../src/core/run/event-parts.ts"
import { agent, agentOf, decision, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, Shell, type Call } from "../../../support/kernel/shell.ts"

const one = (more: Partial<Agent> = {}): Shell => new Shell(planOf(flowOf([agent("a")]), [agentOf("worker", more)]))
const end = (more: JsonObject): Call => ({ name: "finish", args: { status: "complete", summary: "done", ...more } })
const ended = (shell: Shell) => shell.events("step.finished")[0]
const warned = (shell: Shell) => shell.events("warning").map((e) => [e.code, e.step, e.message])

/** The step's agent writes these files with one call each. */
function wrote(shell: Shell, ...calls: FileWrite[][]): void {
  for (const writes of calls) {
    shell.reply("a", call("put", { n: 1 }, `w${shell.run.seq}`))
    const key = [...shell.flights.keys()].find((k) => k.includes("/tool/")) ?? ""
    shell.tell({
      type: "tool.result",
      key,
      result: { isError: false, content: [{ type: "text", text: String(shell.run.seq) }], wrote: writes },
    })
  }
}
const file = (path: string, action: FileWrite["action"] = "created"): FileWrite => ({ path, action })

describe("the files of a step", () => {
  test("[F51b] what was written is listed, though the agent claims nothing", () => {
    const shell = one()
    wrote(shell, [file("out/a.md")], [file("b.md", "modified")])
    shell.reply("a", end({}))
    expect(ended(shell)?.files).toEqual([
      { path: "out/a.md", action: "created", claimed: false },
      { path: "b.md", action: "modified", claimed: false },
    ])
  })

  test("[F51b] claims come first, and the workspace corrects their action and spelling", () => {
    const shell = one()
    wrote(shell, [file("a.md"), file("b.md")])
    shell.reply(
      "a",
      end({
        files: [
          { path: "./b.md", action: "modified" },
          { path: "seen.md", action: "read" },
        ],
      }),
    )
    expect(ended(shell)?.files).toEqual([
      { path: "b.md", action: "created" },
      { path: "seen.md", action: "read" },
      { path: "a.md", action: "created", claimed: false },
    ])
  })

  test("[F51b] a file that was created and then changed is created; a removed file is not listed", () => {
    const shell = one()
    wrote(shell, [file("a.md"), file("b.md")], [file("a.md", "modified"), file("b.md", "removed")])
    shell.reply("a", end({}))
    expect(ended(shell)?.files).toEqual([{ path: "a.md", action: "created", claimed: false }])
  })

  test("[F51b] a step that fails still lists what it wrote", () => {
    const shell = one({ max_turns: 2 })
    wrote(shell, [file("a.md")])
    shell.reply("a", "only text")
    expect(ended(shell)).toMatchObject({ source: "max_turns", files: [{ path: "a.md", action: "created" }] })
  })

  test("[F51b, J6] a crash forgets no file", () => {
    const shell = one()
    wrote(shell, [file("a.md")])
    shell.crash()
    shell.reply("a", end({}))
    expect(ended(shell)?.files).toEqual([{ path: "a.md", action: "created", claimed: false }])
  })

  test(`[F51b, S12] no step lists more than ${MAX_STEP_FILES} files that it did not claim`, () => {
    const shell = one()
    wrote(
      shell,
      Array.from({ length: MAX_STEP_FILES + 7 }, (_, i) => file(`f${i}`)),
    )
    shell.reply("a", end({}))
    expect(ended(shell)?.files).toHaveLength(MAX_STEP_FILES)
  })

  test.each<[string, JsonObject[string], unknown[]]>([
    ["plain texts", ["a.md", "dir/b.md"], ["a.md", "dir/b.md"]],
    ["one text", "a.md", ["a.md"]],
    ["an object without an action", [{ path: "a.md" }], ["a.md"]],
    ["one object", { path: "a.md", action: "created" }, ["a.md"]],
    ["an action of its own", [{ path: "a.md", action: "updated", lines: 3 }], ["a.md"]],
    ["a mixture", ["a.md", { path: "b.md", action: "created" }], ["a.md", "b.md"]],
    ["nothing", null, []],
  ])("[F51b] a claim as %s is accepted", (_name, files, paths) => {
    const shell = one()
    shell.reply("a", end({ files }))
    expect(ended(shell)?.files.map((f) => f.path)).toEqual(paths)
    expect(shell.events("finish.rejected")).toEqual([])
    expect(warned(shell)).toEqual([])
  })
})

describe("an optional member of finish that is malformed", () => {
  test("[G2] a part of files that names no file is left out with a warning", () => {
    const shell = one()
    shell.reply("a", end({ files: ["a.md", 7, { name: "b" }] }))
    expect(ended(shell)?.files).toEqual([{ path: "a.md", action: "read" }])
    expect(warned(shell)).toMatchObject([["finish_member", "a", expect.stringContaining("files")]])
    expect(shell.run.status).toBe("succeeded")
  })

  test("[G2] artifacts and text outputs that are objects are kept as JSON", () => {
    const shell = one({ outputs: [{ name: "notes", type: "string", required: false }] })
    shell.reply("a", end({ artifacts: { n: [1, 2] }, notes: ["x"] }))
    expect(ended(shell)).toMatchObject({ artifacts: '{"n":[1,2]}', outputs: { notes: '["x"]' } })
    expect(warned(shell)).toHaveLength(2)
  })

  test("[G2] an output that cannot be read is left out of a finish that needs none", () => {
    const shell = one({ outputs: [{ name: "score", type: "number", required: true }] })
    shell.reply("a", { name: "finish", args: { status: "blocked", summary: "no access", score: "high" } })
    expect(ended(shell)).toMatchObject({ status: "blocked", outputs: {} })
    expect(warned(shell)).toMatchObject([["finish_member", "a", expect.stringContaining("score")]])
  })

  test("[G2] what is required, unknown, or decides the way is still refused", () => {
    const shell = new Shell(
      planOf(flowOf([decision("a", { yes: "z", no: "z" }), agent("z")]), [
        agentOf("worker", { outputs: [{ name: "score", type: "number", required: true }] }),
      ]),
    )
    shell.reply("a", end({ branch: "yes", score: "high", artifacts: [] }))
    shell.reply("a", end({ branch: "maybe", score: 1 }))
    expect(shell.events("finish.rejected").map((e) => e.errors[0]?.path)).toEqual(["/score", "/branch"])
    const other = one()
    other.reply("a", end({ confidence: 1 }))
    expect(other.events("finish.rejected")).toHaveLength(1)
  })

  test("[G2] a finish that waited for other calls is read the same way", () => {
    const shell = one()
    shell.reply("a", call("look", { n: 1 }, "c0"), end({ files: "a.md", artifacts: { n: 1 } }))
    shell.returns("a", "c0")
    expect(ended(shell)).toMatchObject({ files: [{ path: "a.md" }], artifacts: '{"n":1}' })
    expect(warned(shell)).toHaveLength(1)
  })
})
