// `until` in the kernel [V23–V25, V27]: a pass is offered, scored, and enough, run again, or failed with its best round.

import { describe, expect, test } from "vitest"
import type { AgentStep, FlowRefStep, UntilSpec } from "../../../../src/core/flow/flow.ts"
import type { Verdict } from "../../../../src/core/run/said/score.ts"
import { toldIn, toldOf } from "../../../../src/core/run/session/told.ts"
import { agent, agentOf, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, failed, finish, Shell } from "../../../support/kernel/shell.ts"

const PINNED = {
  revision: 1,
  flow: { id: "f", hash: "h" },
  agents: {},
  skills: {},
  models: {},
  scorers: {
    grade: { version: "0123456789ab", code: "c" },
    judge: { version: "ba9876543210", hash: "s", judge: { flow: "jf", agent: "score-judge", hash: "ja", model: "mock/judge" } },
  },
}

const until = (more: Partial<UntilSpec> = {}): { readonly until: UntilSpec } => ({
  until: { scorer: "grade", at_least: 1, rounds: 3, ...more },
})

/** `writer` has an output. */
const WRITER = agentOf("writer", { outputs: [{ name: "text", type: "string", required: true }] })
const writer = (id: string, more: Partial<AgentStep> = {}): AgentStep => agent(id, { agent: "writer", ...more })
const wrote = (text: string, summary = `wrote ${text}`) => finish({ text, summary })

const started = (steps: readonly (AgentStep | FlowRefStep)[], more: ConstructorParameters<typeof Shell>[1] = {}): Shell =>
  new Shell(planOf(flowOf([...steps]), [WRITER]), { ...more, started: { pinned: PINNED, ...more.started } })

function judge(shell: Shell, step: string, verdict: Verdict): void {
  const told = shell.tell({ type: "judged", key: shell.flying(step, "/score"), verdict })
  expect(told.ok).toBe(true)
}

describe("a pass that ended complete", () => {
  test("[V23] is offered with the members of its finish, runs on, and nothing that waits for it begins", () => {
    const shell = started([writer("w", until()), agent("next", { blockedBy: ["w"] })])
    shell.reply("w", wrote("a"))
    expect(shell.events("step.finished")).toEqual([])
    expect(shell.events("step.offered")).toMatchObject([
      { step: "w", pass: 1, status: "complete", summary: "wrote a", outputs: { text: "a" } },
    ])
    expect(shell.statuses()).toEqual({ w: "running", next: "pending" })
    expect(shell.keys()).toEqual(["w/1/0/score"])
    expect(shell.steer("w").ok).toBe(false)
  })

  test("[V23] ends in the decision that scores it, if that is enough", () => {
    const shell = started([writer("w", until({ at_least: 0.5 })), agent("next", { blockedBy: ["w"] })])
    shell.reply("w", wrote("a"))
    judge(shell, "w", { score: 0.5, reason: "fine" })
    const [scored] = shell.events("step.scored")
    expect(scored).toMatchObject({
      step: "w",
      pass: 1,
      round: 1,
      scorer: "grade",
      version: "0123456789ab",
      score: 0.5,
      reason: "fine",
      enough: true,
    })
    const [ended] = shell.events("step.finished")
    expect(ended).toMatchObject({ status: "complete", outputs: { text: "a" }, seq: (scored?.seq ?? 0) + 1 })
    expect(shell.cuts).not.toContain(scored?.seq)
    expect(shell.cuts).toContain(ended?.seq)
    expect(shell.running()).toEqual(["next"])
  })

  test("[V23] that ended otherwise is not scored", () => {
    const shell = started([writer("w", { ...until(), on_error: "next" }), agent("next")])
    shell.reply("w", failed())
    expect(shell.events("step.offered")).toEqual([])
    expect(shell.running()).toEqual(["next"])
  })

  test("[V23] of a flow-ref is offered too, and its child ran before", () => {
    const ref: FlowRefStep = { type: "flow-ref", id: "r", flow: "child", blockedBy: [], inputs: {}, ...until() }
    const shell = started([ref])
    shell.tell({ type: "child.start", key: "r/1/0/child", index: 0, run: "run_c" })
    const report = { status: "succeeded", summary: "c", outputs: { n: 1 }, files: [] } as const
    shell.tell({ type: "child.end", step: "r", pass: 1, index: 0, run: "run_c", report })
    expect(shell.events("step.offered")).toMatchObject([{ summary: "c", outputs: { n: 1 } }])
    judge(shell, "r", { score: 0 })
    expect(shell.keys()).toEqual(["r/2/0/child"])
  })

  test("[V27] a judge's run is a child of its own index, and its level is the score", () => {
    const shell = started([writer("w", until({ scorer: "judge", at_least: 0.5 }))])
    shell.reply("w", wrote("a"))
    const [effect] = [...shell.flights.values()]
    expect(effect).toMatchObject({ do: "start-child", key: "w/1/1/child", index: 1, flow: "@judge/judge" })
    shell.tell({ type: "child.start", key: "w/1/1/child", index: 1, run: "run_j" })
    expect(shell.run).toMatchObject({ status: "waiting", reason: "child" })
    const report = { status: "succeeded", summary: "s", outputs: { level: "half", reason: "so so" }, files: [] } as const
    shell.tell({ type: "child.end", step: "w", pass: 1, index: 1, run: "run_j", report })
    expect(shell.events("step.scored")).toMatchObject([{ score: 0.5, level: "half", reason: "so so", judge: "run_j", enough: true }])
    expect(shell.run.status).toBe("succeeded")
  })

  test("[V27] a judge that fails or cannot begin is an error, which fails the step at once", () => {
    const shell = started([writer("w", until({ scorer: "judge" }))])
    shell.reply("w", wrote("a"))
    shell.tell({ type: "child.start", key: "w/1/1/child", index: 1, run: "run_j", fault: "gone" })
    expect(shell.events("step.scored")).toMatchObject([{ score: null, error: "the judge's run failed: gone", enough: false }])
    expect(shell.run.error).toMatchObject({ step: "w", source: "score", message: expect.stringContaining("gone") })
  })
})

describe("a further round", () => {
  test("[V23] reopens the step by its own id, at most `rounds` passes of an entry", () => {
    const shell = started([writer("w", until({ rounds: 2 }))])
    shell.reply("w", wrote("a"))
    judge(shell, "w", { score: 0.2 })
    expect(shell.events("step.reopened")).toMatchObject([{ step: "w", pass: 2, by: "w" }])
    shell.reply("w", wrote("b"))
    judge(shell, "w", { score: 0.1 })
    expect(shell.events("step.scored").map(({ round, enough }) => [round, enough])).toEqual([
      [1, false],
      [2, false],
    ])
    expect(shell.run.status).toBe("failed")
  })

  test("[V24] knows why: the message ends with the round, the last result, the score and the reason", () => {
    const shell = started([writer("w", { ...until(), task: "Write." })])
    shell.reply("w", wrote("a"))
    judge(shell, "w", { score: 0.2, reason: "too short" })
    const opened = shell.events("step.opened").at(-1)
    expect(opened?.task).toBe("Write.")
    const told = opened ? toldIn(toldOf(opened)) : ""
    expect(told).toBe(
      'Write.\n\nRound:\n2 of at most 3: the last result was not good enough\n\nLast result:\nwrote a\n{"text":"a"}\n\nScore:\n0.2, and at least 1 is needed\n\nReason:\ntoo short',
    )
  })

  test("[V24] a task that uses `until` says it itself, and it is empty in round 1", () => {
    const task = "Write. ${{until.w.round}}/${{until.w.score}}/${{until.w.reason}}"
    const shell = started([writer("w", { ...until(), task })])
    expect(shell.state("w").session?.task).toBe("Write. //")
    shell.reply("w", wrote("a"))
    judge(shell, "w", { score: 0.2, reason: "too short" })
    expect(shell.state("w").session?.task).toBe("Write. 2/0.2/too short")
    expect(shell.events("step.opened").at(-1)?.apart).toBeUndefined()
    expect(shell.events("warning")).toEqual([])
  })

  test("[V24, G11] what was judged keeps its marks, between delimiters", () => {
    const shell = started([writer("w", until())], { tainted: true })
    shell.reply("w", wrote("a"))
    judge(shell, "w", { score: 0.2, reason: "too short" })
    const apart = shell.events("step.opened").at(-1)?.apart ?? []
    expect(apart.map(({ name, own }) => [name, own ?? false])).toEqual([
      ["Round", true],
      ["Last result", false],
      ["Score", true],
      ["Reason", false],
    ])
  })

  test("[V23, F19] with `from` the run goes back there once its segment is at rest, and other steps keep what they have", () => {
    const steps = [
      writer("draft"),
      writer("check", { ...until({ from: "draft" }), blockedBy: ["draft"] }),
      agent("beside"),
      agent("last", { blockedBy: ["check"] }),
    ]
    const shell = started(steps)
    shell.reply("draft", wrote("a"))
    shell.reply("check", wrote("checked a"))
    judge(shell, "check", { score: 0.2, reason: "no" })
    expect(shell.events("step.reopened")).toEqual([])
    expect(shell.statuses()).toMatchObject({ check: "running", beside: "running", last: "pending" })
    shell.reply("beside", finish())
    expect(shell.events("step.reopened").map(({ step, pass, by }) => [step, pass, by])).toEqual([
      ["draft", 2, "check"],
      ["check", 2, "check"],
    ])
    expect(shell.events("branch.taken")).toMatchObject([{ step: "check", branch: "until", target: "draft", by: "score" }])
    expect(shell.statuses()).toEqual({ draft: "running", check: "pending", beside: "complete", last: "pending" })
    expect(
      shell
        .events("step.opened")
        .at(-1)
        ?.apart?.map(({ name }) => name),
    ).toEqual(["Round", "Last result", "Score", "Reason"])
    shell.reply("draft", wrote("b"))
    expect(shell.events("step.opened").at(-1)).toMatchObject({ step: "check", pass: 2 })
    expect(shell.events("step.opened").at(-1)?.apart).toBeUndefined()
    shell.reply("check", wrote("checked b"))
    judge(shell, "check", { score: 1 })
    expect(shell.running()).toEqual(["last"])
  })

  test("[V23, F14] a route of another step of the segment waits for the rounds, and is taken then", () => {
    const steps = [
      writer("draft"),
      agent("beside", { on_complete: "end" }),
      writer("check", { ...until({ from: "draft" }), blockedBy: ["draft"] }),
    ]
    const shell = new Shell(planOf(flowOf([...steps, { type: "wait", id: "pause", for: "1s", blockedBy: [] }, agent("end")]), [WRITER]), {
      started: { pinned: PINNED },
    })
    shell.reply("beside", finish())
    for (const [text, score] of [
      ["a", 0],
      ["b", 1],
    ] as const) {
      shell.reply("draft", wrote(text))
      shell.reply("check", wrote(text))
      judge(shell, "check", { score })
    }
    expect(shell.statuses()).toMatchObject({ check: "complete", beside: "complete", pause: "skipped", end: "running" })
    expect(shell.events("warning")).toEqual([])
  })
})

describe("not enough", () => {
  test("[V25] after the last round the step fails softly, with the best round's result, the later of equals", () => {
    const shell = started([
      writer("w", { ...until(), on_error: "next", retry: { max: 3, backoff: 1 } }),
      agent("next", { task: "${{result.w.text}}: ${{result.w.summary}}" }),
    ])
    for (const [text, score] of [
      ["a", 0.5],
      ["b", 0.5],
      ["c", 0.2],
    ] as const) {
      shell.reply("w", wrote(text))
      judge(shell, "w", { score, reason: `because ${text}` })
    }
    expect(shell.events("step.finished").at(-1)).toMatchObject({
      status: "error",
      source: "score",
      summary: "wrote b",
      outputs: { text: "b" },
      message: 'after 3 rounds the best score of "grade" is 0.5, and 1 is needed: because b',
    })
    expect(shell.state("next").session?.task).toBe("b: wrote b")
  })

  test("[V25] without `on_error` the run fails, and its error has score, threshold and reason", () => {
    const shell = started([writer("w", until({ rounds: 2, at_least: 0.9 }))])
    for (const text of ["a", "b"]) {
      shell.reply("w", wrote(text))
      judge(shell, "w", { score: 0.4, reason: "dull" })
    }
    expect(shell.run.error).toEqual({
      step: "w",
      source: "score",
      message: 'after 2 rounds the best score of "grade" is 0.4, and 0.9 is needed: dull',
    })
  })

  test.each([{ score: null }, { score: null, error: "it threw" }] as const)(
    "[V25] a scorer that says %o fails the step at once",
    (verdict) => {
      const shell = started([writer("w", until())])
      shell.reply("w", wrote("a"))
      judge(shell, "w", { score: 0.3 })
      shell.reply("w", wrote("b"))
      judge(shell, "w", verdict)
      expect(shell.events("step.finished")).toMatchObject([{ status: "error", source: "score", outputs: { text: "a" } }])
    },
  )

  test("[V25] what later rounds wrote is put back in the step's last decision, with `from` what the reopened steps wrote too", () => {
    const steps = [writer("draft"), writer("check", { ...until({ from: "draft", rounds: 2 }), blockedBy: ["draft"] })]
    const shell = started(steps)
    const write = (step: string, hash: string): void => {
      shell.reply(step, call("put", { n: 1 }, "p"))
      const changed = [{ path: "a.txt", hash, size: 1 }]
      shell.tell({
        type: "tool.result",
        key: shell.flying(step, "/tool/p"),
        result: { isError: false, content: [], digest: hash, changed },
      })
    }
    write("draft", "h1")
    shell.reply("draft", wrote("a"))
    shell.reply("check", wrote("a"))
    const { seq } = shell.events("step.offered")[0] ?? { seq: 0 }
    judge(shell, "check", { score: 0.5 })
    write("draft", "h2")
    shell.reply("draft", wrote("b"))
    shell.reply("check", wrote("b"))
    judge(shell, "check", { score: 0.2 })
    expect([...shell.flights.values()]).toMatchObject([{ do: "put-back", step: "check", to: seq, steps: ["check", "draft"] }])
    shell.tell({ type: "put-back", key: "check/2/0/put-back", changed: [{ path: "a.txt", hash: "h1", size: 1 }] })
    expect(shell.log.slice(-3)).toMatchObject([
      { type: "file.changed", step: "check", path: "a.txt", hash: "h1" },
      { type: "step.finished", status: "error", source: "score", outputs: { text: "a" } },
      { type: "run.ended", status: "failed" },
    ])
  })
})

describe("a judge with the step's model", () => {
  const warned = (models: Record<string, string>, more: object = {}): Shell => {
    const shell = started([writer("w", until({ scorer: "judge" }))], {
      started: { rehearsed: false, pinned: { ...PINNED, models }, ...more },
    })
    shell.reply("w", wrote("a"))
    return shell
  }

  test("[V26] is a warning of the run, once in an entry", () => {
    const shell = warned({ writer: "mock/judge:high" })
    expect(shell.events("warning")).toMatchObject([{ code: "same_model", step: "w", message: expect.stringContaining("mock/judge") }])
    shell.tell({ type: "child.start", key: "w/1/1/child", index: 1, run: "run_j" })
    const report = { status: "succeeded", summary: "s", outputs: { level: "half", reason: "short" }, files: [] } as const
    shell.tell({ type: "child.end", step: "w", pass: 1, index: 1, run: "run_j", report })
    shell.reply("w", wrote("b"))
    expect([shell.events("step.opened").length, shell.events("warning").length]).toEqual([2, 1])
  })

  test("[V26] is none with another model, or in a rehearsal", () => {
    expect(warned({ writer: "mock/other" }).events("warning")).toEqual([])
    expect(warned({ writer: "mock/judge" }, { rehearsed: true }).events("warning")).toEqual([])
  })
})

describe("money", () => {
  const prices = { "mock/judge": { input: 10, output: 10 } }

  test("[V27, B5] the judge's part is the most that its turns can cost, and no share of the rest", () => {
    const budget = { usd: 100, tokens: 1_000_000 }
    const shell = started([writer("w", until({ scorer: "judge" }))], { started: { budget, prices } })
    shell.reply("w", wrote("a"))
    const [reserved] = shell.events("budget.reserved").slice(-1)
    expect(reserved?.key).toBe("w/1/1/child")
    expect(reserved?.amount.tokens).toBeLessThan(120_000)
    expect(reserved?.amount.usd).toBeCloseTo((reserved?.amount.tokens ?? 0) / 100_000, 6)
  })

  test("[V27, B2] if it does not fit, the step asks", () => {
    const shell = started([writer("w", until({ scorer: "judge" }))], { started: { budget: { tokens: 30_000 }, prices } })
    shell.reply("w", wrote("a"))
    expect(shell.pending()).toMatchObject([{ kind: "budget", step: "w" }])
    expect(shell.statuses()).toEqual({ w: "running" })
  })
})
