// `sluice scorers`, `score`, `feedback`, `grade` and `probe` [V43].

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sluice, type Done } from "./sluice.ts"
import { KEY, Terminal } from "./terminal.ts"

const asked: { readonly call: string; readonly body?: unknown }[] = []
const AT = "2026-12-01T09:00:00.000Z"
const SCORE = { scorer: "helpful", version: "aaaaaaaaaaaa", current: true, score: 0.5, level: "half", reason: "Thin.", by: "ci", at: AT }
const OLD = { ...SCORE, score: 1, level: "all", at: "2026-11-01T09:00:00.000Z" }
const PROBE = { version: SCORE.version, at: AT, status: "done", runs: 5, plain: 0.9, empty: 0.9, urged: 1 }
const ACCOUNT = {
  flow: "support",
  task: "Where is my order?",
  inputs: { order: 7 },
  conversation: [],
  status: "succeeded",
  error: null,
  output: null,
  answer: "In Bergen.",
  branches: {},
  steps: { look: { status: "complete", passes: 1, summary: "", outputs: {}, called: ["orders_find"], refused: ["mail_send"], failed: [] } },
  turns: 1,
  tool_calls: 1,
  usage: { tokens: 1, usd: null, ms: 1 },
  files: {},
  expected: null,
  criteria: null,
}
const LEVELS = [
  { score: 0, text: "wrong" },
  { score: 1, text: "right" },
]
const entry = (run: string) => ({
  run,
  flow: "support",
  scorer: "helpful",
  rubric: "Does it help?",
  levels: LEVELS,
  since: AT,
  account: ACCOUNT,
})

let reads = 0
/** The answer of a server. */
function answerTo(method: string, path: string): readonly [status: number, body: unknown] {
  if (path === "/v1/scorers")
    return [
      200,
      { data: [{ name: "helpful", kind: "judge", description: "Good?", version: "aaaaaaaaaaaa", tier: "local" }], next_cursor: null },
    ]
  if (path.endsWith("/probe")) return [202, { ...PROBE, status: "running" }]
  if (path.endsWith("/trust")) return [200, { versions: [], probe: PROBE, flags: ["few_grades", "ignores_input"] }]
  if (path.endsWith("/scores") && method === "GET") {
    reads += 1
    return [200, { scores: reads > 2 ? [SCORE, OLD] : [OLD], feedback: [] }]
  }
  if (path.endsWith("/scores"))
    return [
      202,
      {
        data: [
          { scorer: "helpful", version: SCORE.version, state: "waiting" },
          ...(path.includes("run_busy") ? [{ scorer: "other", version: "b", state: "skipped", why: "queue" }] : []),
        ],
      },
    ]
  if (path.endsWith("/feedback")) return [201, { id: "fb_1", run: "run_1", at: AT, by: "ci" }]
  if (method === "DELETE") return [204, undefined]
  if (method === "POST") return [200, { added: 2 }]
  return [200, { data: path.includes("nobody") ? [] : [entry("run_1"), entry("run_2")], next_cursor: null }]
}

const server = createServer((request, answer) => {
  let text = ""
  request.on("data", (part: Buffer) => (text += String(part)))
  request.on("end", () => {
    const [method, path] = [request.method ?? "", request.url ?? ""]
    asked.push({ call: `${method} ${path}`, ...(text === "" ? {} : { body: JSON.parse(text) }) })
    const [status, body] = answerTo(method, path)
    answer.writeHead(status, { "content-type": "application/json" }).end(body === undefined ? undefined : JSON.stringify(body))
  })
})
let url = ""
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked.splice(0)
  reads = 0
})

const API_KEY = `sl_test_${"k".repeat(32)}`
const say = (...words: readonly string[]): Promise<Done> => sluice([...words, "--url", url, "--key", API_KEY])

test("[V43] `sluice scorers` lists what scores runs; `probe` waits, and ends with 1 for a judge that ignores what it judges", async () => {
  expect(await say("scorers")).toMatchObject({ code: 0, out: "helpful  judge     aaaaaaaaaaaa  Good?\n" })
  const { code, out } = await say("probe", "helpful", "--last", "5", "--budget", "0.5")
  expect([code, out]).toEqual([1, expect.stringContaining("flags: ignores_input\n")])
  expect(asked.find(({ call }) => call.endsWith("/probe"))?.body).toEqual({ dataset: { last: 5 }, budget: { usd: 0.5 } })
  expect((await say("probe", "helpful")).code).toBe(2)
})

test("[V43] `sluice score` waits for the score that it asked for, not for one that was there before", async () => {
  const { code, out } = await say("score", "run_1", "--scorer", "helpful", "--again")
  expect([code, out]).toEqual([0, "run_1  helpful  0.5 half: Thin.\n"])
  expect(asked.find(({ call }) => call.startsWith("POST"))?.body).toEqual({ scorers: ["helpful"], again: true })
  reads = 0
  const busy = await say("score", "run_busy", "--scorer", "helpful", "--scorer", "other")
  expect([busy.code, busy.out]).toEqual([1, expect.stringContaining("other  skipped: too many scorings wait")])
  expect(JSON.parse((await say("score", "run_1", "--scorer", "helpful", "--detach", "--json")).out)).toEqual({
    data: [{ run: "run_1", scorer: "helpful", version: SCORE.version, state: "waiting" }],
  })
  expect((await say("score", "run_1")).code).toBe(2)
})

test("[V43] `sluice feedback` says a thumb or a score, and a correction that is text or JSON", async () => {
  expect((await say("feedback", "run_1", "--up", "--comment", "Yes.", "--user", "u1")).out).toBe("fb_1 is in the journal of run_1\n")
  await say("feedback", "run_1", "--score", "0.25", "--correction", '{"city": "Oslo"}')
  await say("feedback", "run_1", "--correction", "In Oslo.", "--scorer", "helpful", "--score", "1")
  expect(asked.map(({ body }) => body)).toEqual([
    { thumb: "up", comment: "Yes.", user: "u1" },
    { score: 0.25, correction: { city: "Oslo" } },
    { score: 1, correction: "In Oslo.", scorer: "helpful" },
  ])
  for (const wrong of [[], ["--up", "--down"], ["--score", "2"], ["--score", "x"]])
    expect((await say("feedback", "run_1", ...wrong)).code).toBe(2)
})

test("[V43] `sluice grade` without a terminal lists, grades one run, skips one, and adds some", async () => {
  expect((await say("grade", "--scorer", "nobody")).out).toBe("nothing waits for a grade\n")
  expect((await say("grade")).out.split("\n")[0]).toBe(`run_1  helpful  support  waits since ${AT}`)
  expect(JSON.parse((await say("grade", "--json")).out)).toEqual({ data: [entry("run_1"), entry("run_2")] })
  asked.splice(0)
  await say("grade", "run_1", "--scorer", "helpful", "--score", "0.5", "--comment", "Thin.")
  await say("grade", "run_1", "--scorer", "helpful", "--skip")
  await say("grade", "run_1", "run_2", "--add", "--scorer", "helpful")
  await say("grade", "--add", "--experiment", "exp_1", "--most", "5", "--scorer", "helpful")
  expect(asked).toEqual([
    { call: "POST /v1/runs/run_1/feedback", body: { scorer: "helpful", score: 0.5, comment: "Thin." } },
    { call: "DELETE /v1/grading/run_1/helpful" },
    { call: "POST /v1/grading", body: { scorer: "helpful", runs: ["run_1", "run_2"] } },
    { call: "POST /v1/grading", body: { scorer: "helpful", experiment: "exp_1", most: 5 } },
  ])
  for (const wrong of [["run_1"], ["run_1", "--scorer", "helpful"], ["run_1", "run_2", "--scorer", "helpful", "--skip"], ["--add"]])
    expect((await say("grade", ...wrong)).code).toBe(2)
})

test("[V43] at a terminal `sluice grade` shows one run after another, without any score, and takes a level, a skip or a stop", async () => {
  const terminal = new Terminal(["grade", "--url", url, "--key", API_KEY], { cwd: "/tmp" })
  try {
    const shown = await terminal.until(/Answer:[^]*In Bergen\.[^]*helpful\?/)
    expect(shown[0]).not.toContain("0.5")
    terminal.type(KEY.down, KEY.enter)
    await terminal.until(/Why\?/)
    terminal.type("Right.", KEY.enter)
    await terminal.until(/run_2[^]*helpful\?/)
    terminal.type(KEY.down, KEY.down, KEY.enter)
    await terminal.until(/2 done/)
    expect(await terminal.ended()).toBe(0)
  } finally {
    await terminal.close()
  }
  expect(asked.filter(({ call }) => !call.startsWith("GET"))).toEqual([
    { call: "POST /v1/runs/run_1/feedback", body: { scorer: "helpful", score: 1, comment: "Right." } },
    { call: "DELETE /v1/grading/run_2/helpful" },
  ])
})
