// The command line against a test server [H11]: its requests, its output, its exit code. Every answer of that server is checked against the
// API's document, so the real server could give it. One of each exit code, the pipe and the help are seen on a process; the rest runs here,
// since a process takes half a second of CPU to load the program.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { overviewDoc, type Overview } from "../../src/api/doc/overview.doc.ts"
import { startsDoc, type StartRow } from "../../src/api/doc/run/starts.doc.ts"
import { compile } from "../../src/core/run/plan.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import { VERSION } from "../../src/engine/version.ts"
import { Signer } from "../support/engine/signer.ts"
import { undocumented } from "../support/http/documented-answer.ts"
import { flowOf } from "../support/kernel/builders.ts"
import { sha256 } from "../support/kernel/golden.ts"
import { sluice as command, type Done } from "../package/sluice.ts"

// Each command is a process on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

const script = fileURLToPath(new URL("../../cli/sluice.ts", import.meta.url))
const fixture = (name: string): string => readFileSync(new URL(`../fixtures/terminal/${name}`, import.meta.url), "utf8")
const RUN = `run_${"a".repeat(26)}`
const KEY = "sl_of_the_test"

interface Sent {
  readonly asked: string
  readonly headers: IncomingMessage["headers"]
  readonly body: unknown
}
type Reply = (answer: ServerResponse, sent: Sent) => void

let url = ""
let replies: Record<string, Reply> = {}
let sent: Sent[] = []
const server = createServer((request, answer) => {
  void (async () => {
    let text = ""
    for await (const part of request) text += String(part)
    const [path = ""] = (request.url ?? "").split("?")
    const one = {
      asked: `${request.method} ${request.url}`,
      headers: request.headers,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    }
    sent.push(one)
    const reply =
      request.headers.authorization === `Bearer ${KEY}`
        ? replies[`${request.method} ${path}`]
        : refuse(401, "unauthorized", "the key is not known")
    ;(reply ?? refuse(404, "not_found", "there is nothing here"))(answer, one)
  })()
})

const tell =
  (status: number, type: string, text: string): Reply =>
  (answer, { asked }) => {
    const [method = "", path = ""] = asked.split(" ")
    const wrong = undocumented(method, path, { status, type, text })
    if (wrong !== undefined) faults.push(wrong)
    answer.writeHead(status, { "content-type": type }).end(text)
  }
const faults: string[] = []
const json = (status: number, body: object): Reply => tell(status, "application/json", JSON.stringify(body))
const refuse = (status: number, code: string, detail: string): Reply =>
  tell(status, "application/problem+json", JSON.stringify({ type: "about:blank", title: code, status, code, detail, instance: "/" }))
const page = (...data: object[]): Reply => json(200, { data, next_cursor: null })

/** A run's event stream. After a break it resumes at the sent Last-Event-ID; `cut`: breaks after this many events. */
const stream =
  (lines: readonly string[], cut = Infinity): Reply =>
  (answer, { headers }) => {
    const after = Number(headers["last-event-id"] ?? 0)
    answer.writeHead(200, { "content-type": "text/event-stream" })
    const left = lines.filter((line) => ((JSON.parse(line) as { seq?: number }).seq ?? Infinity) >= after)
    const text = left.slice(0, cut).map((line) => `data: ${line}\n\n`)
    answer.write(text.join(""), () => (left.length > cut ? answer.destroy() : answer.end()))
  }
const LINES = fixture("run.jsonl").trim().split("\n")
/** A run that never ends and keeps sending events. */
const endless: Reply = (answer) => {
  const [first = ""] = LINES
  answer.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${first}\n\n`)
  let seq = 1
  const timer = setInterval(() => {
    seq += 1
    answer.write(`data: ${JSON.stringify({ seq, at: seq, v: 1, prev: "", type: "warning", code: "odd", message: "on it goes" })}\n\n`)
  }, 5)
  answer.on("close", () => clearInterval(timer))
}
const ending = (status: string): string[] => [
  ...LINES.slice(0, -1),
  JSON.stringify({ ...(JSON.parse(LINES.at(-1) ?? "") as object), status }),
]

const started = json(202, {
  id: RUN,
  flow: "triage",
  status: "running",
  urls: { self: `/v1/runs/${RUN}`, events: `/v1/runs/${RUN}/events`, cancel: `/v1/runs/${RUN}/cancel` },
})
/** What a command looks at of a run's view. */
const seqOf =
  (seq: number): Reply =>
  (answer) =>
    answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: RUN, seq }))
const START = "POST /v1/flows/triage/runs"
const EVENTS = `GET /v1/runs/${RUN}/events`

function launch(args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [script, ...args], { env: { ...process.env, SLUICE_URL: url, SLUICE_KEY: KEY } })
}

const sluice = (args: readonly string[], env: Record<string, string> = {}): Promise<Done> =>
  command(args, { env: { SLUICE_URL: url, SLUICE_KEY: KEY, ...env } })

async function asProcess(args: readonly string[]): Promise<Omit<Done, "code"> & { readonly code: number | null }> {
  const child = launch(args)
  let out = ""
  let err = ""
  child.stdout.on("data", (part: Buffer) => (out += String(part)))
  child.stderr.on("data", (part: Buffer) => (err += String(part)))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, out, err }
}

beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = server.address()
  url = typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}` : ""
})
afterEach(() => {
  replies = {}
  sent = []
  expect(faults.splice(0)).toEqual([])
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe("run", () => {
  test("[H11, E1] starts a flow, prints its events to the end, and exits with 0 if it succeeded", async () => {
    replies = { [START]: started, [EVENTS]: stream(LINES) }
    const { code, out, err } = await asProcess([
      "run",
      "triage",
      "--task",
      "Fix it",
      "--input",
      "n=3",
      "--input",
      "who=ann",
      "--tag",
      "x",
      "--rehearse",
      "--wait",
    ])
    expect([code, err]).toEqual([0, ""])
    expect(out.startsWith(`${RUN}\n  0.0s  run of triage`)).toBe(true)
    expect(out).toContain(`answer it: sluice answer ${RUN}/`)
    expect(out).toContain("run succeeded")
    // Whether `n` is a number or a text, the flow says; this key may not read it.
    expect(sent[0]?.asked).toBe("GET /v1/flows/triage/graph")
    expect(sent[1]?.body).toEqual({ task: "Fix it", inputs: { n: 3, who: "ann" }, tags: ["x"], rehearse: true })
    expect(sent[1]?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/)
    expect(sent).toHaveLength(3)
  })

  test.each(["failed", "canceled"])("[H11] exits with 1 if the run %s", async (status) => {
    replies = { [START]: started, [EVENTS]: stream(ending(status)) }
    const { code, out, err } = await asProcess(["run", "triage", "--wait"])
    expect([code, err]).toEqual([1, ""])
    expect(out).toContain(`run ${status}`)
  })

  test("[E4] a broken connection resumes after the last event, and nothing is printed twice", async () => {
    replies = { [START]: started, [EVENTS]: stream(LINES) }
    const whole = await sluice(["run", "triage", "--wait"])
    replies = { [START]: started, [EVENTS]: stream(LINES, 12) }
    sent = []
    const cut = await sluice(["run", "triage", "--wait"])
    expect(cut).toEqual(whole)
    expect(sent.length).toBeGreaterThan(3)
    expect(sent.at(-1)?.headers["last-event-id"]).toMatch(/^\d+$/)
  })

  test("[E1] an event of a later version is skipped", async () => {
    const news = LINES.map((line, i) => (i === 4 ? JSON.stringify({ ...(JSON.parse(line) as object), type: "run.relocated", v: 2 }) : line))
    replies = { [EVENTS]: stream(news) }
    const { code, out, err } = await sluice(["watch", RUN, "--wait"])
    expect([code, err]).toEqual([0, ""])
    expect(out).not.toContain("relocated")
  })

  test("[H11] --detach prints only the run's id", async () => {
    replies = { [START]: started }
    expect(await sluice(["run", "triage", "--detach"])).toEqual({ code: 0, out: `${RUN}\n`, err: "" })
  })

  test("[H11] in a pipe a run that waits for a person ends the command with 4, and the run is left alone", async () => {
    const waits = LINES.map((line) => JSON.parse(line) as RunEvent).find(({ type }) => type === "run.waiting")
    const view = seqOf(waits?.seq ?? 0)
    replies = { [START]: started, [EVENTS]: stream(LINES), [`GET /v1/runs/${RUN}`]: view }
    const { code, out, err } = await asProcess(["run", "triage"])
    expect([code, err]).toEqual([4, ""])
    expect(out).toContain(`answer it: sluice answer ${RUN}/`)
    expect(out).not.toContain("run succeeded")
    const told = await sluice(["run", "triage", "--json"])
    expect(told.code).toBe(4)
    const events = told.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RunEvent)
    expect(events.map(({ type }) => type).slice(0, 1)).toEqual(["run.started"])
    expect(events.at(-1)?.type).toBe("run.waiting")
  })

  test("[H11] a run that was answered since it waited is shown to its end", async () => {
    replies = { [EVENTS]: stream(LINES), [`GET /v1/runs/${RUN}`]: seqOf(1_000) }
    const { code, out } = await sluice(["watch", RUN])
    expect(code).toBe(0)
    expect(out).toContain("run succeeded")
  })
})

describe("lists", () => {
  const files = [
    { kind: "agent", id: "a", path: "agents/a.md" },
    { kind: "flow", id: "triage", path: "flows/triage.yaml" },
  ].map((file) => ({
    ...file,
    tier: "local",
    hash: "0".repeat(64),
    size: 10,
    diagnostics: file.kind === "flow" ? [{ code: "FV-X", line: 1, severity: "warning", message: "m" }] : [],
  }))

  test("[H11] catalog list prints files, including flows, and the revision", async () => {
    replies = { "GET /v1/catalog": json(200, { data: files, next_cursor: null, revision: 7 }) }
    expect(await sluice(["catalog", "list"])).toEqual({
      code: 0,
      out: "local     agents/a.md\nlocal     flows/triage.yaml  1 diagnostics\nrevision 7\n",
      err: "",
    })
  })

  test("[F70] lists leave the built-in files out, say so, and have them if asked", async () => {
    const all = [...files, { path: "agents/b.md", kind: "agent", id: "b", tier: "built-in", hash: "0", size: 1, diagnostics: [] }]
    replies = { "GET /v1/catalog": json(200, { data: all, next_cursor: null, revision: 7 }) }
    expect((await sluice(["catalog", "list"])).out).toContain("and 1 built-in (--builtin)\nrevision 7\n")
    expect((await sluice(["agents", "list"])).out).toBe("local     agents/a.md\nand 1 built-in (--builtin)\n")
    expect((await sluice(["agents", "list", "--builtin"])).out).toBe("local     agents/a.md\nbuilt-in  agents/b.md\n")
  })

  const row = (n: number): object => ({
    id: `run_${String(n).padStart(26, "0")}`,
    flow: "triage",
    status: "running",
    created: "2026-11-22T00:00:00.000Z",
    ended: null,
    trigger: { kind: "api" },
    tags: [],
    thread: "",
    usage: { tokens: 0, usd: null, tool_calls: 0 },
    pending: n === 0 ? 1 : 0,
    rehearsed: true,
  })

  test("[H11] runs sends its filter, and marks runs with open questions", async () => {
    replies = { "GET /v1/runs": page(row(0), row(1)) }
    const { code, out, err } = await sluice(["runs", "--flow", "triage", "--status", "running,failed", "--limit", "2"])
    expect([code, err]).toEqual([0, ""])
    expect(out.split("\n")[0]).toBe(`run_${"0".repeat(26)}  2026-11-22T00:00:00.000Z  running    triage  asks 1  rehearsed`)
    expect(new URL(`http://x${sent[0]?.asked.split(" ")[1]}`).searchParams.get("limit")).toBe("2")
    expect(sent).toHaveLength(1)
  })

  test("[H11] closing the pipe early, as `| head` does, is not an error", async () => {
    // More than a pipe holds, page after page, so the command must write to a closed pipe.
    replies = {
      "GET /v1/runs": json(200, { data: Array.from({ length: 200 }, (_, n) => row(n)), next_cursor: "more" }),
      [EVENTS]: endless,
    }
    for (const args of [
      ["runs", "--limit", "100000"],
      ["watch", RUN],
    ]) {
      const child = launch(args)
      let err = ""
      child.stderr.on("data", (part: Buffer) => (err += String(part)))
      await once(child.stdout, "data")
      child.stdout.destroy()
      const [code] = (await once(child, "close")) as [number | null]
      expect([args[0], code, err]).toEqual([args[0], 0, ""])
    }
  })
})

describe("answer", () => {
  const asked = (more: object = {}): object => ({
    id: "i1",
    run: RUN,
    flow: "triage",
    kind: "ask_user",
    status: "pending",
    step: "ask",
    payload: { question: "Which way?\u001b[2J" },
    schema: {},
    created: "2026-11-22T00:00:00.000Z",
    urls: { self: `/v1/runs/${RUN}/interactions/i1` },
    ...more,
  })
  const ANSWER = `POST /v1/runs/${RUN}/interactions/i1`
  const {
    urls: _,
    flow: _flow,
    ...view
  } = { ...asked(), status: "answered", answer: { answer: "left" }, by: "ann" } as Record<string, unknown>
  const answered = json(200, view)

  test("[H16] overview prints each number, what is usual, and what is not", async () => {
    const judged = (value: number | null, usual: [number, number] | null, unusual: boolean | null) => ({ value, usual, unusual })
    const numbers = {
      runs: judged(1_436, [375, 468], true),
      ended: judged(400, null, null),
      success: judged(null, [0.971, 1], null),
      usd: judged(21.418, [17.7, 23.2], false),
      p95: judged(108_000, [88_000, 128_000], false),
      open: judged(3, [0, 22], false),
    }
    const { data: _data, total } = overviewDoc.examples["Overview"] as Overview
    const span = { since: "2026-11-24T00:00:00.000Z", until: "2026-11-24T15:00:00.000Z", each: "hour", rehearsed: false }
    replies = { "GET /v1/overview": json(200, { ...span, data: [], total, numbers }) }
    const { code, out } = await sluice(["overview"])
    expect(code).toBe(0)
    expect(out.split("\n")).toEqual([
      "2026-11-24T00:00:00.000Z to 2026-11-24T15:00:00.000Z",
      "runs begun        1,436       unusual: usual 375 to 468",
      "runs ended        400",
      "success           –           usual 97.1 % to 100.0 %",
      "cost              $21.42      usual $17.70 to $23.20",
      "95 of 100 within  108.0 s     usual 88.0 s to 128.0 s",
      "open asks         3           usual 0 to 22",
      "",
    ])
  })

  test("[R23] starts prints who holds a key and what the others wait for", async () => {
    const example = startsDoc.examples["Start"] as StartRow
    const holder: StartRow = { ...example, state: "running", priority: "normal", merged: 3 }
    delete (holder as { waiting?: unknown }).waiting
    replies = { "GET /v1/starts": page(holder, example) }
    const { code, out } = await sluice(["starts", "--flow", "review", "--start-key", "acme/shop#7"])
    expect(code).toBe(0)
    expect(sent[0]?.asked).toBe("GET /v1/starts?flow=review&key=acme%2Fshop%237&limit=20")
    expect(out.split("\n")).toEqual([
      `${example.run}  ${example.arrived}  running  review  acme/shop#7  3 starts  holds the key`,
      `${example.run}  ${example.arrived}  waiting  review  acme/shop#7  low  2 before it, ${example.waiting?.run ?? ""} holds the key`,
      "",
    ])
    replies = { "GET /v1/starts": page() }
    expect((await sluice(["starts"])).out).toBe("no start waits, and no run holds a key\n")
    // The contract's `--key`: what has the form of an API key is one, as everywhere.
    sent.length = 0
    await sluice(["starts", "--key", "acme/shop#7"])
    await sluice(["starts", "--key", `sl_acme_${"a".repeat(43)}`, "--start-key", "k"])
    expect(sent.map(({ asked, headers }) => [asked, headers["authorization"]])).toEqual([
      ["GET /v1/starts?key=acme%2Fshop%237&limit=20", sent[0]?.headers["authorization"]],
      ["GET /v1/starts?key=k&limit=20", `Bearer sl_acme_${"a".repeat(43)}`],
    ])
  })

  test("[Q2] inbox prints open questions with the argument for `answer`, without escape sequences", async () => {
    replies = { "GET /v1/interactions": page(asked()) }
    const { code, out } = await sluice(["inbox"])
    expect(code).toBe(0)
    expect(out).toContain(`${RUN}/i1  ask_user  triage, step ask\n    Which way?`)
    expect(out).not.toContain("\u001b")
  })

  test.each([
    ["a text", ["go", "left"], {}, { answer: "go left" }],
    ["JSON", ["--value", '["a","b"]'], {}, { answer: ["a", "b"] }],
    ["the agent's own choice", ["--auto"], {}, { auto: true }],
    [
      "an approval, of what was shown",
      ["--approve"],
      { kind: "approval.tool", payload: { tool: "write", args: {}, hash: "h1" } },
      { decision: "approve", hash: "h1" },
    ],
    [
      "an approval by its word",
      ["approve"],
      { kind: "approval.tool", payload: { tool: "write", args: {}, hash: "h1" } },
      { decision: "approve", hash: "h1" },
    ],
    [
      "a decision with changed arguments",
      ["--value", '{"decision":"approve","args":{"path":"b"}}'],
      { kind: "approval.tool", payload: { tool: "write", args: {}, hash: "h1" } },
      { decision: "approve", args: { path: "b" } },
    ],
    [
      "a rejection",
      ["--reject", "--feedback", "no"],
      { kind: "approval.tool", payload: { tool: "write", hash: "h1" } },
      { decision: "reject", feedback: "no" },
    ],
  ])("[Q2] answers with %s", async (_name, words, more, body) => {
    replies = { "GET /v1/interactions": page(asked(more)), [ANSWER]: answered }
    expect(await sluice(["answer", `${RUN}/i1`, ...words])).toEqual({ code: 0, out: "answered\n", err: "" })
    expect(sent.at(-1)?.body).toEqual(body)
  })

  test("[Q2] a text that decides nothing is not sent to an approval, and the commands that decide are named", async () => {
    replies = { "GET /v1/interactions": page(asked({ kind: "approval.tool", payload: { tool: "write", args: {}, hash: "h1" } })) }
    const { code, err } = await sluice(["answer", `${RUN}/i1`, "go", "on"])
    expect([code, err]).toEqual([3, expect.stringContaining("sluice approve, sluice reject")])
    expect(sent.some((one) => one.asked === ANSWER)).toBe(false)
  })

  test("[Q2] reports that someone else answered first", async () => {
    replies = { "GET /v1/interactions": page(asked()), [ANSWER]: refuse(409, "already_answered", "ann has answered it") }
    expect(await sluice(["answer", `${RUN}/i1`, "x"])).toEqual({
      code: 1,
      out: "",
      err: "sluice: ann has answered it (409 already_answered)\n",
    })
    replies = { "GET /v1/interactions": page() }
    const gone = await sluice(["answer", `${RUN}/i1`, "x"])
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining(`"${RUN}/i1" is not in the inbox`)])
  })
})

describe("errors are one line on stderr with exit code 1, 2 for usage errors, 3 for invalid input", () => {
  const one = /^sluice: [^\n]+\n$/

  test.each([["runs"], ["run", "triage"], ["watch", RUN], ["inbox"], ["catalog", "list"]])(
    "[H3] an unknown key: %s %s",
    async (...args) => {
      const { code, out, err } = await sluice(args, { SLUICE_KEY: "sl_wrong" })
      expect([code, out, err]).toEqual([1, "", "sluice: the key is not known (401 unauthorized)\n"])
      expect(sent).toHaveLength(1)
      expect(err).not.toContain("sl_wrong")
    },
  )

  test("[H3, E1] a refusal that quotes an escape sequence is printed without it", async () => {
    replies = {
      [START]: tell(
        422,
        "application/problem+json",
        JSON.stringify({
          type: "about:blank",
          title: "invalid",
          status: 422,
          code: "invalid",
          detail: "no \u001b[2J",
          instance: "/",
          errors: [{ pointer: "/inputs/\u001b]0;x\u0007", message: "is \u009b2Jred", suggestion: "say \u202eso" }],
        }),
      ),
      [EVENTS]: refuse(404, "not_found", "no \u001b[2Jrun"),
    }
    const refused = await asProcess(["run", "triage"])
    expect([refused.code, refused.err]).toEqual([3, "sluice: invalid:\n  /inputs/]0;x: is 2Jred (say so)\n"])
    expect((await sluice(["watch", RUN])).err).toBe("sluice: no [2Jrun (404 not_found)\n")
  })

  test.each([
    [true, 0],
    [false, 3],
  ])("[F1] a file whose validity is %s ends with %i", async (valid, code) => {
    const diagnostics = [{ code: "FV-X", line: 2, severity: valid ? "warning" : "error", message: "so it is" }]
    replies = { "POST /v1/validate": json(200, { valid, diagnostics }) }
    const checked = await sluice(["validate", "--remote", "flows/triage.yaml"])
    expect([checked.code, checked.err]).toEqual([code, ""])
    expect(checked.out).toContain(`flows/triage.yaml:2: ${valid ? "warning" : "error"} FV-X: so it is`)
  })

  test.each([
    [true, 0],
    [false, 1],
  ])("[K21] test: cases that pass=%s end with exit code %i", async (passed, code) => {
    const failures = passed ? [] : [{ at: "/status", expected: "failed", found: "succeeded" }]
    const cases = [{ name: "works", passed, run: RUN, ms: 12, failures }]
    replies = { "POST /v1/flows/triage/test": json(200, { flow: "triage", passed: passed ? 1 : 0, failed: passed ? 0 : 1, cases }) }
    const told = await sluice(["test", "triage"])
    expect([told.code, told.err]).toEqual([code, ""])
    expect(told.out).toContain(passed ? "ok    triage: works" : "FAIL  triage: works")
    if (!passed) expect(told.out).toContain('/status: expected "failed", found "succeeded"')
  })

  test("[H3] an unknown run", async () => {
    const { code, err } = await sluice(["watch", "run_none"])
    expect([code, err]).toEqual([1, "sluice: there is nothing here (404 not_found)\n"])
  })

  test.each([
    ["an unknown command", ["fly"], "unknown command 'fly'"],
    ["an unknown option", ["runs", "--nope"], "--nope"],
    ["no flow", ["run"], "missing required argument 'flow'"],
    ["an input without a value", ["run", "triage", "--input", "x"], "NAME=VALUE"],
    ["a limit that is none", ["runs", "--limit", "0"], "--limit"],
    ["a status that is none", ["runs", "--status", "sleeping"], "--status"],
    ["no URL", ["runs", "--url", "nowhere"], '"nowhere" is not a URL'],
  ])("[H11] %s, before any request", async (_, args, says) => {
    const { code, out, err } = await sluice(args)
    expect([code, out]).toEqual([2, ""])
    expect(err).toMatch(one)
    expect(err).toContain(says)
    expect(sent).toEqual([])
  })

  test("[N5] the development key is not sent to another machine", async () => {
    const { code, err } = await sluice(["runs", "--url", "https://sluice.example"], { SLUICE_KEY: "" })
    expect([code, err]).toEqual([2, "sluice: give a key for https://sluice.example: sluice login, --key, or SLUICE_KEY\n"])
  })

  test("[H11] no server listens", async () => {
    const { code, err } = await asProcess(["runs", "--url", "http://127.0.0.1:1"])
    expect([code, err]).toEqual([5, "sluice: no answer from http://127.0.0.1:1: is the server running? (sluice dev)\n"])
  })

  test("[K42] verify: a receipt holds or not, with the keys of the instance or with a saved key set and no server", async () => {
    const signer = new Signer()
    const events = [
      { seq: 1, at: 1, v: 1, prev: "0".repeat(64), type: "run.started", run: RUN, flow: "f", task: "", inputs: {}, autonomous: true },
    ].map((e) => ({ ...e, pinned: { revision: 1, flow: { id: "f", hash: "" }, agents: {}, skills: {}, models: {} } }))
    const [first] = events
    const trigger = { kind: "api", key: "k" }
    const begun = { ...first, trigger, rehearsed: false } as unknown as RunEvent
    const error = { source: "config", message: "no such flow" }
    const end = { seq: 2, at: 1, v: 1, prev: sha256(JSON.stringify(begun)), type: "run.ended", status: "failed", error } as RunEvent
    const plan = compile({ flow: flowOf([]), agents: {}, skills: {}, tools: [] })
    const text = await signer.receipt(plan, [begun, end], new Map(), { status: "failed", build: VERSION, definitions: [] })
    const folder = mkdtempSync(path.join(tmpdir(), "receipt-"))
    const [good, bad, keys] = ["good.jsonl", "bad.jsonl", "keys.json"].map((name) => path.join(folder, name))
    if (good === undefined || bad === undefined || keys === undefined) throw new Error("three names")
    writeFileSync(good, text)
    writeFileSync(bad, text.replace("no such flow", "no such floW"))
    writeFileSync(keys, JSON.stringify({ keys: [signer.key] }))
    replies = { "GET /.well-known/sluice-keys.json": json(200, { keys: [signer.key] }) }
    expect(await sluice(["verify", good])).toEqual({ code: 0, out: "valid\n", err: "" })
    expect(sent.map(({ asked }) => asked)).toEqual(["GET /.well-known/sluice-keys.json"])
    sent = []
    expect(await sluice(["verify", good, "--keys", keys], { SLUICE_KEY: "" })).toMatchObject({ code: 0, out: "valid\n" })
    const found = await sluice(["verify", bad, "--keys", keys])
    expect(found).toMatchObject({ code: 1, out: "not valid: line 3\n    does not hold: chain, replay\n" })
    expect(await sluice(["verify", path.join(folder, "none"), "--keys", keys])).toMatchObject({ code: 2 })
    expect(await sluice(["verify", good, "--keys", good])).toMatchObject({ code: 2 })
    expect(sent).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test("[H11] a usage error of a process", async () => {
    const { code, out, err } = await asProcess(["runs", "--limit", "0"])
    expect([code, out]).toEqual([2, ""])
    expect(err).toMatch(one)
    expect(sent).toEqual([])
  })

  test("[H11] help sends no request and is not an error", async () => {
    const { code, out, err } = await asProcess(["--help"])
    expect([code, err, out.startsWith("Usage: sluice [options] [command]")]).toEqual([0, "", true])
    expect(sent).toEqual([])
  })
})
