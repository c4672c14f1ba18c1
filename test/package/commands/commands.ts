// `npm run package:commands`: every command of `sluice` with `--json` against a live server. What it prints is JSON of the shape that the API's
// document has, with no member that the document lacks; a refusal is JSON too. Ends with `commands: N passed, M failed`.

import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { COMMANDS } from "../../../cli/commands/commands.ts"
import { buildWorker } from "../../../local/build.ts"
import { SCOPES } from "../../../src/api/route/route.ts"
import { Sluice } from "../../../src/client/sluice.ts"
import type { Check } from "../../crash/evidence.ts"
import { sayVerdict } from "../../crash/verdict.ts"
import { Victim } from "../../crash/victim.ts"
import { sluice, type Done } from "../sluice.ts"
import { completionChecks } from "./completion-checks.ts"
import { ELSEWHERE, ROWS, type Row } from "./rows.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const home = await mkdtemp(path.join(tmpdir(), "sluice-commands-"))
const cwd = path.join(home, "project")
const checks: Check[] = []
const check = (what: string, fault: string | undefined): void => void checks.push({ name: what, fault: fault?.slice(0, 1_200) })

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

/** Files that the commands are given, besides those of `init`. */
const FILES: Readonly<Record<string, string>> = {
  "flows/long.yaml": "name: long\ndescription: d\nsteps:\n  - { id: w, type: wait, signal: go, timeout: 10m }\n",
  "flows/asking.yaml":
    "name: asking\ndescription: d\nsteps:\n  - { id: which, type: fork, question: Which?, options: [Left, Right], branches: { Left: left, Right: right } }\n  - { id: left, type: wait, for: 1ms }\n  - { id: right, type: wait, for: 1ms }\n",
  "agents/writer.md": "---\nname: writer\ndescription: d\nmodel: rehearsal/default\ntools: write, ls\n---\nDo it. ${{task}}\n",
  "flows/writes.yaml": "name: writes\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: writer }\n",
  "flows/writes.rehearsal.yaml":
    "steps:\n  a:\n    - { calls: [{ tool: ls, args: { path: . } }] }\n    - finish: { status: complete, summary: done }\n",
  "flows/held.yaml": "name: held\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: writer }\n",
  "flows/held.rehearsal.yaml": "steps:\n  a:\n    - { delay: 60s, finish: { status: complete, summary: done } }\n",
  "policy.yaml": "hooks: { confirm: [ls] }\n",
  "skills/style/more.md": "More.\n",
  "tool.yaml": 'description: d\nparameters: { type: object }\nrequest: { method: GET, url: "https://orders.example.com/" }\n',
  "provider.yaml": "kind: scripted\nturns: { m: [{ text: pong }] }\n",
  "other-prices.yaml": "openai/gpt-5: { input: 1, output: 2 }\n",
  ".claude/agents/old.md": "---\nname: old\ndescription: d\n---\nDo it.\n",
}

/** The first place where the answer and its shape part. */
function parts(row: Row, answer: unknown): string | undefined {
  const read = row.shape.safeParse(answer)
  if (!read.success) return read.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")
  return isDeepStrictEqual(read.data, answer) ? undefined : `has members that the document lacks: ${extra(read.data, answer).join(", ")}`
}
function extra(known: unknown, found: unknown, at = ""): string[] {
  if (typeof found !== "object" || found === null) return Object.is(known, found) ? [] : [at]
  const of = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return Object.entries(found).flatMap(([name, value]) => {
    const there = of(known, name)
    return there === undefined && value !== undefined ? [`${at}/${name}`] : extra(there, value, `${at}/${name}`)
  })
}

async function tried(row: Row, known: Record<string, string>, done: Done): Promise<void> {
  const { command, form, keep = {}, code = 0 } = row
  const name = `${command} --json`
  if (done.code !== code) return check(name, `ended with ${done.code}: ${done.out}${done.err}`)
  if (code !== 0) return check(name, typeof JSON.parse(done.err || done.out) === "object" ? undefined : done.err)
  if (form === "none") {
    if (command === "receipt") await writeFile(path.join(cwd, "receipt.jsonl"), done.out)
    return check(name, parts(row, done.out.startsWith("{") && command !== "receipt" ? JSON.parse(done.out) : done.out))
  }
  const lines = done.out.trim().split("\n")
  if (form !== "lines" && lines.length !== 1) return check(name, `prints ${lines.length} lines: ${done.out}`)
  for (const line of lines) {
    const answer = JSON.parse(line) as Record<string, unknown>
    check(name, parts(row, answer))
    for (const [word, of] of Object.entries(keep)) {
      const value = of(answer)
      if (typeof value === "string") known[word] = value
    }
  }
}

let server: Victim | undefined
try {
  const worker = path.join(home, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  server = await Victim.create(worker)
  await server.start()
  const { url } = server
  const admin = new Sluice({ url, key: "sl_admin_local" })
  await admin.tenants.create({ id: "commands" })
  const { key = "" } = await admin.tenants.keys("commands").create({ name: "all", scopes: [...SCOPES] })
  const client = new Sluice({ url, key })
  const known: Record<string, string> = { url, own: key }
  const { mkdir } = await import("node:fs/promises")
  await mkdir(cwd)
  const env = { SLUICE_URL: url, SLUICE_KEY: key, SLUICE_PROFILES: path.join(home, "profiles.json"), PATH: process.env["PATH"] ?? "" }
  for (const row of ROWS) {
    const input = row.input === undefined ? {} : { input: row.input }
    // A person is asked once the run has come that far.
    const [run = ""] = ["answer", "approve", "reject"].includes(row.command) ? (row.args?.(known)[0] ?? "").split("/") : []
    for (let tries = 0; run !== "" && tries < 400; tries++)
      if ((await client.runs.interactions(run, "pending").page()).data.length > 0) break
    const done = await sluice([...row.command.split(" "), ...(row.args?.(known) ?? []), "--json"], { cwd, env, ...input })
    await tried(row, known, done)
    if (row.command === "init")
      for (const [name, text] of Object.entries(FILES)) {
        await mkdir(path.dirname(path.join(cwd, name)), { recursive: true })
        await writeFile(path.join(cwd, name), text)
      }
    // Something to try on recorded runs.
    if (row.command === "again") await writeFile(path.join(cwd, "agents/writer.md"), `${FILES["agents/writer.md"] ?? ""}Briefly.\n`)
  }
  checks.push(...(await completionChecks(home)))
  const refusal = await sluice(["show", "run_none", "--json"], { cwd, env })
  const { error } = JSON.parse(refusal.err) as { error: { code: string; message: string; status: number } }
  check(
    "a refusal is JSON with its code",
    refusal.code === 1 && error.code === "not_found" && error.status === 404 ? undefined : refusal.err,
  )
  const missing = COMMANDS.map(({ name }) => name).filter((name) => !ROWS.some((row) => row.command === name) && !ELSEWHERE.includes(name))
  check("every command is in the table", missing.length === 0 ? undefined : missing.join(", "))
} catch (error) {
  check("the commands reached their end", error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await server?.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(sayVerdict("commands", checks) ? 0 : 1)
