// Sticky sessions in the kernel: when a step wants one, what it continues, and what must be saved.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { AgentStep } from "../../../../src/core/flow/flow.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { Transcript } from "../../../../src/core/run/state.ts"
import type { SessionGrant } from "../../../../src/core/run/session/sticky.ts"
import { messages } from "../../../../src/core/run/session/conversation.ts"
import { chunkOf, earlierTurns } from "../../../../src/core/run/session/transcript.ts"
import { amount } from "../../../support/amount.ts"
import { agent, agentOf, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"
import { live } from "../../../support/kernel/world.ts"

const one = (more: Partial<AgentStep> = {}): Shell => new Shell(planOf(flowOf([agent("a", { session: "notes", ...more })])))
const fresh: SessionGrant = { ok: true, chunks: [], bytes: 0, tainted: false, private: false }
const open = (shell: Shell, grant: SessionGrant = fresh, step = "a") =>
  shell.tell({ type: "session.open", key: shell.flying(step, "/session"), grant })
const chunk = (shell: Shell, t: Transcript | undefined) => {
  if (!t) throw new Error("nothing is owed")
  return chunkOf(
    shell.run,
    t,
    t.seqs.flatMap((seq): RunEvent | RunEvent[] => shell.log[seq - 1] ?? []),
    () => undefined,
  )
}

describe("opening", () => {
  test("[J25] the session is requested before the model call, and its expanded name is in the journal", () => {
    const shell = one({ session: "n-${{run.id}}" })
    expect(shell.events("step.opened")[0]?.session).toBe("n-run_1")
    expect(shell.keys()).toEqual(["a/1/0/session"])
    expect(shell.flights.get("a/1/0/session")).toMatchObject({ do: "open-session", agent: "worker", session: "n-run_1" })
    open(shell)
    expect(shell.keys()).toEqual(["a/1/0/model"])
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J25] a step without `session` requests none", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    expect(shell.keys()).toEqual(["a/1/0/model"])
    shell.reply("a", finish())
    expect(shell.run.transcripts).toEqual([])
  })

  test("[J25] ${{session}} is the name from the start; without a name the step has no session, and there is no warning", () => {
    const shell = one({ session: "${{session}}" })
    expect(shell.keys()).toEqual(["a/1/0/model"])
    expect(shell.events("warning")).toEqual([])
    const plan = planOf(flowOf([agent("a", { session: "${{session}}" })]))
    expect(new Shell(plan, { session: "mine" }).events("step.opened")[0]?.session).toBe("mine")
  })

  test.each(["a/b", "..", ".hidden", "", "${{task}}", "ä", "x".repeat(129)])(
    "[J25] %j is not a valid session name: the step fails hard",
    (session) => {
      const shell = one({ session, retry: { max: 2, backoff: 1 } })
      expect(shell.events("step.finished")).toMatchObject([{ status: "error", source: "config", hard: true }])
      expect(shell.run.status).toBe("failed")
      expect(shell.events("action.begun")).toEqual([])
    },
  )

  test("[J25] a session that another step owns is a soft failure: a retry may find it free", () => {
    const shell = one({ retry: { max: 1, backoff: 1_000 } })
    open(shell, { ok: false, fault: "the session is busy" })
    expect(shell.events("step.finished")).toMatchObject([{ status: "error", summary: "the session is busy" }])
    expect(shell.events("model.replied")).toEqual([])
    shell.pass(shell.now + 5_000)
    open(shell)
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J3] an answer counts once, and after a crash the session is requested again", () => {
    const shell = one()
    const key = shell.flying("a", "/session")
    shell.crash()
    expect(shell.events("action.lost")).toMatchObject([{ key, kind: "session" }])
    open(shell)
    expect(shell.tell({ type: "session.open", key, grant: fresh })).toEqual({ ok: false, error: { code: "stale" } })
    shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/model"])
  })

  test("[G11] a session keeps its taint and private marks", () => {
    const shell = one()
    open(shell, { ...fresh, tainted: true, private: true })
    expect(shell.state("a").session).toMatchObject({ tainted: true, private: true })
    shell.reply("a", finish())
    expect(shell.run.transcripts).toMatchObject([{ tainted: true, private: true }])
  })
})

describe("the prompt", () => {
  const plan = planOf(flowOf([agent("a", { session: "notes", inputs: { where: "${{flow.input.where}}" } })]), [
    agentOf("worker", { inputs: ["where"], body: "In ${{input.where}}: ${{task}}" }),
  ])
  const opened = (
    where: string,
    prompt: { definition: string; inputs: Record<string, string>; body: string; apart?: true },
    agents: Record<string, string>,
  ) => {
    const shell = new Shell(plan, { inputs: { where }, agents })
    open(shell, { ...fresh, chunks: ["c"], bytes: 9, prompt })
    return shell.state("a").session?.body
  }
  const before = { definition: "h1", inputs: { where: "src" }, body: "In src, as it was", apart: true } as const

  test("[J25] the prompt stays while the agent and its inputs are the same, even with another task", () => {
    expect(opened("src", before, { worker: "h1" })).toBe("In src, as it was")
    expect(opened("", before, { worker: "h1" })).toBe("In src, as it was")
  })

  test("[J25] no prompt has the task of an earlier message: not its own, and none that an earlier kernel wrote", () => {
    const { apart: _apart, ...old } = before
    expect(opened("src", { ...old, body: "In src: the first task" }, { worker: "h1" })).toBe("In src: (task: in the message)")
    const shell = new Shell(plan, { inputs: { where: "src" } })
    open(shell, fresh)
    const session = shell.state("a").session
    expect(session && messages(session, [])).toEqual([{ role: "user", text: "the task" }])
    const earlier = new Shell(plan, { inputs: { where: "src" }, agents: { worker: "h1" }, started: { kernel: 1 } })
    open(earlier, { ...fresh, chunks: ["c"], bytes: 9, prompt: { ...old, body: "In src: the first task" } })
    expect(earlier.state("a").session?.body).toBe("In src: the first task")
  })

  test("[J25] the prompt changes when the agent or its inputs change", () => {
    expect(opened("src", before, { worker: "h2" })).toBe("In src: (task: in the message)")
    expect(opened("lib", before, { worker: "h1" })).toBe("In lib: (task: in the message)")
  })
})

describe("what must be saved", () => {
  test("[J25] the conversation of the pass with every call answered, and the prompt it used", () => {
    const shell = one()
    open(shell, { ...fresh, chunks: ["c0"], prompt: { definition: "", inputs: {}, body: "The old prompt." } })
    shell.reply("a", "I look.", call("look"))
    shell.returns("a", "c0", "seen")
    shell.reply("a", "talk")
    shell.reply("a", finish({ summary: "42" }), call("look", {}, "late"))
    const { turns, prompt } = chunk(shell, shell.run.transcripts[0])
    expect(turns.map((t) => (t.role === "tool" ? `${t.tool}:${t.isError ? "error" : "ok"}` : `${t.role}`))).toEqual([
      "user",
      "assistant",
      "look:ok",
      "assistant",
      "user",
      "assistant",
      "look:error",
      "finish:ok",
    ])
    expect(JSON.stringify(turns)).toContain("42")
    expect(prompt.body).toBe("You are worker.")
    expect(shell.run.transcripts).toMatchObject([{ step: "a", pass: 1, agent: "worker", session: "notes" }])
  })

  test("[J25] a run canceled midway releases the session, with the conversation so far", () => {
    const shell = one()
    open(shell)
    shell.reply("a", call("look"), call("look", { n: 2 }))
    shell.returns("a", "c0")
    shell.tell({ type: "cancel", by: "ann" })
    const { turns } = chunk(shell, shell.run.transcripts[0])
    const answers = turns.filter((t) => t.role === "tool")
    expect(answers.map((t) => [t.callId, t.isError])).toEqual([
      ["c0", false],
      ["c1", true],
    ])
  })

  test("[J25] a pass without a reply, or without the session, only releases it", () => {
    const waiting = one()
    waiting.tell({ type: "cancel", by: "ann" })
    expect(waiting.run.transcripts).toMatchObject([{ seqs: [] }])
    const silent = one()
    open(silent)
    silent.tell({ type: "cancel", by: "ann" })
    expect(silent.run.transcripts).toMatchObject([{ seqs: [] }])
  })

  test("[J25] every pass that opened a session leaves exactly one transcript, whatever happens to the run, even after a replay", () => {
    fc.assert(
      fc.property(flows(), fc.nat(), fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }), (flow, seed, luck) => {
        let i = 0
        const shell = live(planOf(flow, CAST), {
          world: { seed, post: true },
          crash: () => luck[i++ % luck.length] === 0,
          snapshotEvery: 20,
        })
        const passes = shell.events("step.opened").flatMap((e) => (e.session === undefined ? [] : [`${e.step}/${e.pass}`]))
        expect(shell.run.transcripts.map((t) => `${t.step}/${t.pass}`).sort()).toEqual(passes.sort())
        expect(shell.refolded().transcripts).toEqual(shell.run.transcripts)
        for (const t of shell.run.transcripts) {
          const { turns } = chunk(shell, t)
          const asked = turns.flatMap((turn) => (turn.role === "assistant" ? turn.toolCalls.map((c) => c.id) : []))
          if (t.seqs.length > 0)
            expect(turns.flatMap((turn) => (turn.role === "tool" ? [turn.callId] : [])).toSorted()).toEqual(asked.toSorted())
        }
      }),
      { numRuns: amount(150, 50) },
    )
  })
})

describe("earlier conversations", () => {
  test("[J25] earlier turns are in order, and no call id repeats", () => {
    const part = [
      { role: "user", text: "one" },
      { role: "assistant", text: "", toolCalls: [{ id: "c0", name: "look", args: "{}" }] },
      { role: "tool", callId: "c0", tool: "look", content: [], isError: false },
      { role: "assistant", text: "", toolCalls: [{ id: "c0", name: "finish", args: "{}" }] },
      { role: "tool", callId: "c0", tool: "finish", content: [], isError: false },
    ] as const
    const turns = earlierTurns([part, part])
    const calls = turns.flatMap((t) => (t.role === "assistant" ? t.toolCalls.map((c) => c.id) : []))
    expect(new Set(calls).size).toBe(4)
    expect(turns.flatMap((t) => (t.role === "tool" ? [t.callId] : []))).toEqual(calls)
  })
})
