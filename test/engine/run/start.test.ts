// How a start is built: what a wish leaves out, what a child takes from its parent, and the field order that the journal hashes.

import { describe, expect, test } from "vitest"
import { startedOf } from "../../../src/cloudflare/run/run-started.ts"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import { childStartOf, startOf, type Inherited, type StartSource, type StartWish } from "../../../src/engine/run/begin/start.ts"

const PINS = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} }
const GROUND: StartSource = { flow: { id: "f", autonomous: false }, pins: PINS, rehearsed: true, rules: DEFAULT_RULES }
const NEEDED: StartWish = { tenant: "acme", run: "run_1", task: "go", inputs: {}, trigger: { kind: "api", key: "k" } }
const TRACE = { id: "4bf92f3577b34da6a3ce929d0e0e4736", parent: "00f067aa0ba902b7" }
const CALLBACK = { url: "https://receiver.example.com/in", secret: "cb", events: ["run.waiting" as const] }
const WHOLE: Required<StartWish> = {
  ...NEEDED,
  autonomous: true,
  trace: TRACE,
  address: "https://sluice.example.com",
  callback: CALLBACK,
  payload: { body: 1 },
  files: [{ path: "a.md", hash: "h", size: 1 }],
  private: true,
  tainted: true,
  origins: ["history"],
  trusted: ["answers"],
  asker: "key_1",
  prices: {},
  budget: { usd: 1 },
  staging: "run_0",
  thread: "t",
  session: "s",
  conversation: [{ role: "user", text: "hi" }],
  parent: { run: "run_0", step: "a", pass: 1, index: 0, depth: 1, root: "run_0" },
  tags: ["x"],
  daily: true,
  cannot: "there is no flow",
  effects: "dry",
  unaccepted: true,
  block: { priority: "normal", expires: 1_000 },
  batch: { run: "run_0", step: "a", pass: 1 },
  number: 2,
  pace: { attended: true },
  above: ["run_0"],
  trial: { experiment: "exp_1", row: "row_1", variant: "now", repeat: 1 },
  keyId: "key_1",
  callbacks: [CALLBACK],
  starters: [{ kind: "api", key: "k" }],
  ownMoney: { budget: { usd: 1 }, dollars: true },
}

describe("a wish", () => {
  test("[J3] with only the required fields has no other field except the budget, and the flow's default", () => {
    expect(Object.entries(startOf(GROUND, { ...NEEDED, tags: undefined, tainted: false, budget: {} }))).toEqual([
      ["tenant", "acme"],
      ["run", "run_1"],
      ["flow", "f"],
      ["task", "go"],
      ["inputs", {}],
      ["autonomous", false],
      ["pins", PINS],
      ["trigger", NEEDED.trigger],
      ["rehearsed", true],
      ["budget", {}],
      ["rules", DEFAULT_RULES],
    ])
  })

  test("[J7] the first event has all fields, in the same order as in earlier journals", () => {
    const { held, daily } = startOf({ ...GROUND, queue: true }, WHOLE)
    expect([held, daily]).toEqual([true, true])
    expect(Object.keys(startedOf(startOf({ ...GROUND, queue: true }, WHOLE))).join(" ")).toBe(
      "type tenant run flow task inputs autonomous pinned trigger rehearsed tags parent thread session staging budget prices rules tainted origins trusted asker private payload files callback callbacks starters address trace conversation effects unaccepted batch trial width kernel",
    )
  })
})

describe("a child", () => {
  const heritage: Inherited = {
    run: "run_p",
    root: "run_r",
    depth: 1,
    step: "a",
    pass: 2,
    autonomous: true,
    rehearsed: false,
    effects: "staged",
    rules: DEFAULT_RULES,
    prices: {},
    daily: true,
    tainted: true,
    private: false,
    trace: TRACE,
    callback: CALLBACK,
  }
  const child = { tenant: "acme", run: "run_c", task: "look", inputs: {}, pins: PINS, index: 3, budget: {}, session: undefined }

  test("[F23] [H8] [W6] takes rules, marks, money, trace and receiver from its parent, and is linked to its parent's step", () => {
    const start = childStartOf(heritage, child, () => "5".repeat(64))
    expect(start).toEqual({
      tenant: "acme",
      run: "run_c",
      flow: "f",
      task: "look",
      inputs: {},
      autonomous: true,
      pins: PINS,
      trigger: { kind: "child" },
      rehearsed: false,
      parent: { run: "run_p", step: "a", pass: 2, index: 3, depth: 2, root: "run_r" },
      budget: {},
      prices: {},
      rules: DEFAULT_RULES,
      tainted: true,
      callback: CALLBACK,
      trace: { id: TRACE.id, parent: "5".repeat(16) },
      effects: "staged",
      daily: true,
    })
  })
})
