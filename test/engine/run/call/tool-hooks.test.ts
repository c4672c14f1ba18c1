import { describe, expect, test } from "vitest"
import { executeTool } from "../../../../src/engine/run/call/execute-tool.ts"
import { runHooks, wrapTool, type ToolHooks } from "../../../../src/engine/run/call/tool-hooks.ts"
import type { Raw } from "../../../../src/engine/run/call/tool-outcome.ts"
import { text, ToolFailure, type Tool, type ToolPowers } from "../../../../src/ports/tool.ts"

const none = (): Promise<never> => Promise.reject(new Error("no workspace here"))
const powers: ToolPowers = {
  workspace: { stat: none, read: none, list: none, survey: none, named: () => {}, write: none, remove: none, refusal: () => undefined },
  skills: { names: () => [], files: () => undefined, read: async () => undefined },
}

function stand(outcome: Raw = { isError: false, content: [{ type: "text", text: "done" }], details: { kept: 1 } }) {
  const runs: unknown[] = []
  const tool: Tool = {
    name: "send",
    description: "",
    parameters: { type: "object" },
    effect: "write",
    contexts: ["agent"],
    async execute(...args) {
      runs.push(args)
      return text("sent", { n: 1 })
    },
  }
  const run = (hooks: ToolHooks, args = { to: "me" }): Promise<Raw> =>
    runHooks(hooks, { callId: "c1", tool, args }, async () => {
      runs.push(args)
      return outcome
    })
  return { tool, runs, run }
}

describe("the hook chain", () => {
  test("[T3] a blocking hook: nothing runs, and the reason reaches the model", async () => {
    const { run, runs } = stand()
    const asked: string[] = []
    const result = await run({
      before: [() => void asked.push("one"), () => ({ block: true, reason: "not on Sundays" }), () => void asked.push("never")],
    })
    expect(result).toEqual({ isError: true, content: [{ type: "text", text: "not on Sundays" }], details: {} })
    expect(runs).toEqual([])
    expect(asked).toEqual(["one"])
    expect((await run({ before: [() => ({ block: true })] })).content).toEqual([{ type: "text", text: "send was blocked" }])
  })

  test("[G10] a hook that throws before a call refuses it", async () => {
    const { run, runs } = stand()
    const result = await run({ before: [() => Promise.reject(new Error("no database"))] })
    expect(result).toMatchObject({ isError: true, content: [{ text: "send was not run: a hook before it failed: no database" }] })
    expect(runs).toEqual([])
  })

  test("[T3] after hooks replace field by field, and each sees the result of the previous one", async () => {
    const { run } = stand()
    const seen: unknown[] = []
    const result = await run({
      after: [
        () => ({ details: { patched: true } }),
        (_call, now) => {
          seen.push(now)
          return { isError: true }
        },
        () => undefined,
      ],
    })
    expect(seen).toEqual([{ content: [{ type: "text", text: "done" }], details: { patched: true }, isError: false }])
    expect(result).toEqual({ content: [{ type: "text", text: "done" }], details: { patched: true }, isError: true })
  })

  test("[G10] a hook that throws after a call withholds its result", async () => {
    const { run } = stand({ isError: false, content: [{ type: "text", text: "the secret plan" }] })
    for (const after of [() => Promise.reject(new Error("boom")), () => ({ content: [{ type: "video" }] }) as never]) {
      const result = await run({ after: [after] })
      expect(result.isError).toBe(true)
      expect(JSON.stringify(result)).not.toContain("secret plan")
    }
  })

  test("[T3] a hook can change neither the arguments nor the result it is shown", async () => {
    const { run, runs } = stand()
    const result = await run({
      before: [(call) => void (call.args["to"] = "everybody")],
      after: [(_call, now) => void Object.assign(now.details ?? {}, { kept: 2 })],
    })
    expect(runs).toEqual([{ to: "me" }])
    expect(result.details).toEqual({ kept: 1 })
  })

  test("[T3] without hooks a result does not change", async () => {
    const { run } = stand()
    expect(await run({})).toEqual({ isError: false, content: [{ type: "text", text: "done" }], details: { kept: 1 } })
  })
})

describe("hooks in the pipeline", () => {
  const deps = { callId: "c1", sha256: async () => "h", keep: async () => "k", nonce: () => "n" }
  const signal = new AbortController().signal

  test("[T3] hooks run around the call, and their result is stored", async () => {
    const { tool, runs } = stand()
    const blocked = await executeTool(
      { tool, args: {}, signal, powers },
      { ...deps, hooks: { before: [() => ({ block: true, reason: "no" })] } },
    )
    expect(blocked).toMatchObject({ isError: true, content: [{ text: "no" }], details: {} })
    expect(runs).toEqual([])
    const patched = await executeTool(
      { tool, args: {}, signal, powers },
      { ...deps, hooks: { after: [() => ({ details: { seen: true } })] } },
    )
    expect(patched).toMatchObject({ isError: false, content: [{ text: "sent" }], details: { seen: true } })
  })

  test("[T6] a tool does not begin if a hook has used up its time", async () => {
    const { tool, runs } = stand()
    let release = (): void => {}
    const hold = new Promise<void>((resolve) => (release = resolve))
    const late = await executeTool(
      { tool: { ...tool, timeout: 5 }, args: {}, signal, powers },
      { ...deps, hooks: { before: [() => hold] } },
    )
    expect(late).toMatchObject({ isError: true, content: [{ text: "send timed out after 5 ms" }] })
    release()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(runs).toEqual([])
  })
})

describe("wrapping a tool", () => {
  test("[T2] id, signal, partials and powers reach the wrapped tool in their order", async () => {
    const { tool, runs } = stand()
    const signal = new AbortController().signal
    const onUpdate = (): void => {}
    expect(await wrapTool(tool, {}).execute("c9", { a: 1 }, signal, onUpdate, powers)).toEqual(text("sent", { n: 1 }))
    expect(runs).toEqual([["c9", { a: 1 }, signal, onUpdate, powers]])
  })

  test("[T2] a wrapper may block a call, change its result, and turn a failure into a success", async () => {
    const { tool, runs } = stand()
    const signal = new AbortController().signal
    await expect(
      wrapTool(tool, { before: () => ({ block: true, reason: "no" }) }).execute("c", {}, signal, undefined, powers),
    ).rejects.toThrow("no")
    expect(runs).toEqual([])
    const failing: Tool = { ...tool, execute: () => Promise.reject(new ToolFailure([{ type: "text", text: "down" }], { code: 5 })) }
    await expect(wrapTool(failing, {}).execute("c", {}, signal, undefined, powers)).rejects.toMatchObject({ details: { code: 5 } })
    const mended = wrapTool(failing, { after: (_call, result) => ({ isError: false, details: { was: result.details ?? null } }) })
    expect(await mended.execute("c", {}, signal, undefined, powers)).toEqual(text("down", { was: { code: 5 } }))
  })
})
