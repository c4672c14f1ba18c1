// What commands print for a person: a gate that fails, backtests, comparisons, questions, and what is read from the command line.

import { createServer, type Server } from "node:http"
import { once } from "node:events"
import { mkdtemp, rm, writeFile, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { inputsOf } from "../../cli/inputs.ts"
import { backtestLine } from "../../cli/shown/backtest-lines.ts"
import { comparisonLines } from "../../cli/shown/comparison-lines.ts"
import { gateLines } from "../../cli/shown/gate-lines.ts"
import { questionLines } from "../../local/question-lines.ts"
import { sluice } from "./sluice.ts"

describe("a gate that fails", () => {
  const gate = (report: object) => gateLines({ gate: { passed: false, reached: ["support"], report: report as never } })
  test("[K24] says which tests fail, and where", () => {
    const cases = [
      { name: "refuses", passed: false, run: "run_1", ms: 3, failures: [{ at: "/status", expected: "failed", found: "succeeded" }] },
      { name: "answers", passed: true, run: "run_2", ms: 2, failures: [] },
    ]
    expect(gate({ flows: [{ flow: "support", tests: { flow: "support", passed: 1, failed: 1, cases } }] })).toEqual([
      "! gate FAILED: support (1 of its tests fail)",
      "    FAIL  support: refuses  3 ms  run_1",
      '            /status: expected "failed", found "succeeded"',
      "    again, here: sluice test support",
    ])
  })

  test("[K24] says which recorded runs part, where and why, and what to do if that is wanted", () => {
    const runs = [
      { run: "run_1", result: "diverged", step: "sort", pass: 2, turn: 0, why: "route" },
      { run: "run_2", result: "same" },
    ]
    expect(gate({ flows: [{ flow: "support", backtest: { usage: { tokens: 0 }, runs } }] })).toEqual([
      "! gate FAILED: support",
      "    PARTED  run_1 at sort, pass 2, turn 1: it takes another way (route)",
      "    again, here: sluice backtest support; if this is what you want, gate.yaml can say `allow: [route]`",
    ])
  })

  test("[K24] a report that this version cannot read still names the flow", () => {
    expect(gate({ flows: [{ flow: "support", tests: 3, backtest: "x" }, 7] })).toEqual(["! gate FAILED: support"])
    expect(gate({})).toEqual(["! gate FAILED"])
  })

  test("[V41] [V43] shows the figures of scores, and what they would need", () => {
    const scorers = {
      kind: { decision: "undecided", difference: 0.012, lower: -0.071, margin: 0.05 },
      fine: { decision: "passed", difference: 0, lower: -0.02, margin: 0.05 },
    }
    const score = { decision: "undecided", dataset: "regress", experiment: "exp_1", rows: 60, same: 20, tries: 2, needs: 140, scorers }
    expect(gate({ flows: [{ flow: "support", score }] })).toEqual([
      "! gate FAILED: support",
      "    undecided (60 rows of regress, 20 of them the same, 2 tries, exp_1)",
      "    ✗ kind: +1.2 points, at worst -7.1; allowed -5",
      "    ✓ fine: +0 points, at worst -2; allowed -5",
      "    a write that loses nothing would pass with 140 rows, nine times in ten",
    ])
    const pending = { passed: true, reached: ["a", "b"], pending: ["b"], report: {} }
    expect(gateLines({ gate: pending })).toEqual([
      "gate passed: a",
      "? gate: b waits for an experiment, which an apply begins and waits for",
    ])
  })
})

test("[K23] a run of a backtest is one line, with the words of its cause", () => {
  expect(backtestLine({ run: "run_1", result: "same" })).toBe("same    run_1")
  expect(backtestLine({ run: "run_1", result: "failed", message: "its definitions are lost" })).toBe(
    "unknown run_1: its definitions are lost",
  )
})

test("[K16] a comparison says where the runs part, with both sides", () => {
  const side = (summary: string, branch?: string) => ({
    status: "complete",
    summary,
    outputs: {},
    ...(branch === undefined ? {} : { branch }),
  })
  const usage = { tokens: 10, usd: 0.5, tool_calls: 0 }
  const lines = comparisonLines({
    common: { seq: 12, head: "h" },
    definitions: [{ path: "agents/sorter.md", diff: "-old\n+new" }],
    steps: [
      { step: "read", pass: 1, same: true, a: side("read it"), b: side("read it") },
      { step: "sort", pass: 1, same: false, a: side("a bug", "bug"), b: null },
    ],
    first: { step: "sort", pass: 1 },
    output: [{ pointer: "/kind", a: "bug", b: null }],
    usage: { a: usage, b: { ...usage, usd: null } },
    scores: [],
  })
  expect(lines).toEqual([
    "the same up to event 12",
    "",
    "definitions that differ:",
    "  agents/sorter.md",
    "    -old",
    "    +new",
    "",
    "  read  complete read it",
    "▸ sort  complete → bug a bug  |  not there",
    "",
    "outputs that differ:",
    "  /kind: bug  |  null",
    "",
    "10 tokens, $0.5  |  10 tokens",
  ])
})

describe("a question", () => {
  test("[Q3] an approval is the exact call, a line for each argument, and why it is asked", () => {
    const payload = { tool: "shop.refund", args: { order: 5, note: "Sorry.\nAda" }, reason: "tainted", hash: "h" }
    expect(questionLines({ kind: "approval.tool", payload })).toEqual([
      "may shop.refund be called?",
      "  order: 5",
      "  note: Sorry.",
      "    Ada",
      "why: The step has read text from outside, which may have caused this call. Look closely.",
    ])
  })
  test("[Q3] a choice is its question and its options", () => {
    const payload = { question: "Post it?", options: ["Post it", "Leave it"] }
    expect(questionLines({ kind: "fork", payload })).toEqual(["Post it?", "  - Post it", "  - Leave it"])
  })
  test("[B6] a budget says which limit stands in the way, and both answers", () => {
    const payload = { scope: "run", limit: { usd: 1.5, tool_calls: 3 }, spent: { usd: 0.2, tool_calls: 3 }, needed: { tool_calls: 1 } }
    expect(questionLines({ kind: "budget", payload })).toEqual([
      "the budget of the run does not last: raise it, or stop?",
      "  tool_calls: 3 of 3 used, the next call may need 1",
      '  answer stop, or {"raise": {"tool_calls": …}}',
    ])
  })
  test("[Q3] a question with words is its words", () => {
    expect(questionLines({ kind: "ask_user", payload: { question: "Which?" } })).toEqual(["Which?"])
  })
})

test("[H11] an input has the type that the flow declares; without one, JSON or text", () => {
  const types = { ticket: { type: "string" }, count: { type: "number" } }
  expect(inputsOf(["ticket=5", "count=5", "other=5", "word=x"], types)).toEqual({ ticket: "5", count: 5, other: 5, word: "x" })
  expect(inputsOf(['ticket="5"', "ticket2=true"], types)).toEqual({ ticket: "5", ticket2: true })
})

describe("what a command sends", () => {
  let folder = ""
  let server: Server
  let env: Record<string, string> = {}
  let asked: { readonly call: string; readonly body: unknown }[] = []
  const QUESTION = { id: "i1", run: "run_1", flow: "f", kind: "effects", status: "pending", step: "s", payload: { kept: [] }, created: "x" }
  const ANSWERS: Readonly<Record<string, object>> = {
    "GET /v1/flows/refund/graph": { nodes: [], edges: [], start: { inputs: { ticket: { type: "string", required: true } } } },
    "POST /v1/flows/refund/runs": { id: "run_1" },
    "GET /v1/runs/run_1": { id: "run_1", error: { step: "pay", message: "no" } },
    "POST /v1/runs/run_1/fork": { id: "run_2" },
    "GET /v1/interactions": { data: [QUESTION], next_cursor: null },
    "POST /v1/runs/run_1/interactions/i1": { status: "answered" },
  }
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sluice-sent-"))
    asked = []
    server = createServer((request, answer) => {
      let text = ""
      request.on("data", (part: Buffer) => (text += String(part)))
      request.on("end", () => {
        const call = `${request.method} ${request.url?.split("?")[0] ?? ""}`
        asked.push({ call, body: text === "" ? undefined : JSON.parse(text) })
        const found = ANSWERS[call]
        answer.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" })
        answer.end(JSON.stringify(found ?? { code: "not_found", status: 404, title: call }))
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const at = server.address()
    env = { SLUICE_URL: typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}` : "" }
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true })
  })
  const sent = async (...argv: string[]): Promise<unknown> => {
    const { code, err } = await sluice(argv, { cwd: folder, env })
    expect([code, err]).toEqual([0, ""])
    return asked.at(-1)?.body
  }

  test("[F55] run: inputs by their types, files, a budget, a conversation", async () => {
    await writeFile(path.join(folder, "note.txt"), "hi")
    const words = [
      "run",
      "refund",
      "--detach",
      "--input",
      "ticket=5",
      "--file",
      "in/n.txt=note.txt",
      "--budget",
      "0.50",
      "--budget",
      "steps=9",
    ]
    expect(await sent(...words, "--thread", "t1")).toEqual({
      inputs: { ticket: "5" },
      files: { "in/n.txt": { base64: "aGk=" } },
      budget: { usd: 0.5, steps: 9 },
      thread: "t1",
    })
    const refused = await sluice(["run", "refund", "--budget", "euros=1"], { cwd: folder, env })
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("write dollars such as 0.50, or UNIT=NUMBER")])
  })

  test("[K7] fork: from the step that failed, with a file of the project", async () => {
    await mkdir(path.join(folder, "agents"))
    await writeFile(path.join(folder, "sluice.yaml"), "name: x\n")
    await writeFile(path.join(folder, "agents/x.md"), "new")
    expect(await sent("fork", "run_1", "--from", "failed", "--file", "agents/x.md", "--model", "x=a/b", "--effects", "dry")).toEqual({
      from: { step: "pay" },
      effects: "dry",
      patch: { definitions: { "agents/x.md": "new" }, models: { x: "a/b" } },
    })
    expect(await sent("fork", "run_1", "--from", "12")).toEqual({ from: { seq: 12 } })
    expect(await sent("fork", "run_1", "--from", "sort", "--turn", "1")).toEqual({ from: { step: "sort", turn: 0 } })
    const body = '{"from":{"step":"a"},"patch":{"task":"t"}}'
    expect(await sent("fork", "run_1", "--body", body)).toEqual(JSON.parse(body))
    expect(await sent("fork", "run_1", "--wish", body)).toEqual(JSON.parse(body))
  })

  test("[K32] answer: JSON where no text is wanted", async () => {
    expect(await sent("answer", "run_1/i1", '{"commit":"all"}')).toEqual({ answer: { commit: "all" } })
  })
})
