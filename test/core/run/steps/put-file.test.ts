// When a file may be put into a run [F55], and what the fold keeps of it.

import { describe, expect, test } from "vitest"
import { MAX_PUT_FILES } from "../../../../src/core/run/steps/put-file.ts"
import { agent, flowOf, fork, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

const file = (path: string, hash = "h") => ({ path, hash, size: 1 })
const put = (shell: Shell, path = "a.md", hash = "h") => shell.tell({ type: "file", file: file(path, hash), by: "ann" })
const code = (outcome: ReturnType<typeof put>) => (outcome.ok ? "ok" : outcome.error.code)

describe("a file put into a run", () => {
  test("[F55] is refused while a step is at work, by the step's name", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    const refused = put(shell)
    expect(refused).toMatchObject({ ok: false, error: { code: "busy", why: expect.stringContaining('"a"') } })
  })

  test("[F55] is taken while a person is asked, also when other steps work", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")])), { autonomous: false })
    shell.reply("a", call("ask_user", { question: "?", type: "input" }))
    expect([code(put(shell)), code(put(shell, "b.md"))]).toEqual(["ok", "ok"])
    shell.reply("b", finish())
    expect(code(put(shell, "a.md", "h2"))).toBe("ok")
    shell.crash()
    expect(shell.run.put).toEqual([file("b.md"), file("a.md", "h2")])
    expect(shell.events("file.put")).toHaveLength(3)
  })

  test("[F55] is taken at a fork, at a retry, and in a paused run when its calls have ended", () => {
    const asked = new Shell(planOf(flowOf([fork("f", { x: "z" }), agent("z")])), { autonomous: false })
    expect(code(put(asked))).toBe("ok")
    const failing = new Shell(planOf(flowOf([agent("a")])))
    failing.fail("a")
    expect([failing.run.status, code(put(failing))]).toEqual(["waiting", "ok"])
    const paused = new Shell(planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] })])))
    paused.tell({ type: "pause", reason: "operator" })
    expect(code(put(paused))).toBe("busy")
    paused.reply("a", finish())
    expect([paused.run.status, code(put(paused))]).toEqual(["paused", "ok"])
  })

  test("[F55] is refused after the end", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.reply("a", finish())
    expect(code(put(shell))).toBe("run_over")
  })

  test(`[F55, S12] at most ${MAX_PUT_FILES} different files can be put into one run`, () => {
    const shell = new Shell(planOf(flowOf([fork("f", { x: "z" }), agent("z")])), { autonomous: false })
    for (let i = 0; i < MAX_PUT_FILES; i++) expect(code(put(shell, `f${i}`))).toBe("ok")
    expect([code(put(shell, "more")), code(put(shell, "f0", "h2"))]).toEqual(["too_many", "ok"])
  })
})
