// The GitHub Action: its file is well formed, its commands and options exist, and its scripts do what they say against a server here.

import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { COMMANDS } from "../../cli/commands/commands.ts"

const folder = fileURLToPath(new URL("../../action", import.meta.url))
const Action = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  runs: z.strictObject({
    using: z.literal("composite"),
    steps: z.array(
      z.strictObject({
        name: z.string(),
        if: z.string().optional(),
        shell: z.literal("bash"),
        "working-directory": z.string(),
        env: z.record(z.string(), z.string()).optional(),
        run: z.string(),
      }),
    ),
  }),
})
const text = await readFile(path.join(folder, "action.yml"), "utf8")
const action = Action.parse(parse(text))
const scripts = await Promise.all(["test.sh", "plan.sh"].map((name) => readFile(path.join(folder, name), "utf8")))
const shell = [...action.runs.steps.map(({ run }) => run), ...scripts]

describe("action.yml", () => {
  test("[F2] validates, tests, plans and applies, in this order", () => {
    expect(action.runs.steps.map(({ name }) => name)).toEqual(["Install", "Validate", "Test", "Plan", "Apply"])
  })

  test("[F2] names only inputs that it declares, and no expression stands in a script", () => {
    const named = new Set([...text.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name))
    expect(named).toEqual(new Set(Object.keys(action.inputs)))
    for (const run of shell) expect(run).not.toContain("${{")
  })

  test("[F2] every command and option in it is one of the command line", () => {
    const used = shell.flatMap((run) => [...run.matchAll(/^\s*sluice ([a-z]+)(.*)$/gm)])
    expect(new Set(used.map(([, name]) => name))).toEqual(new Set(["validate", "dev", "test", "plan", "apply"]))
    for (const [line, name, rest = ""] of used) {
      const command = COMMANDS.find((one) => one.name === name)
      const flags = ["--json", ...(command?.options ?? []).flatMap(({ flags: all }) => all.match(/--[a-z-]+/g) ?? [])]
      for (const flag of rest.match(/--[a-z-]+/g) ?? []) expect(flags, line).toContain(flag)
    }
    for (const name of ["plan", "apply"])
      expect(COMMANDS.find((one) => one.name === name)?.options?.map(({ flags }) => flags)).toContain("--prune")
  })

  test("[F2] bash reads every script", async () => {
    for (const run of shell) expect(await ran("bash", ["-n", "-c", run], {})).toMatchObject({ code: 0, err: "" })
  })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}
const ran = (file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile(file, args, { cwd: home || folder, env: { PATH: process.env["PATH"], ...env } }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })

let home = ""
let server: Server
let api = ""
let asked: { readonly call: string; readonly body: string }[] = []
let comments: { id: number; body: string; user: { type: string } }[] = []

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-action-"))
  asked = []
  comments = []
  server = createServer((request, answer) => {
    void (async () => {
      let sent = ""
      for await (const part of request) sent += String(part)
      const { body = "" } = sent === "" ? {} : z.object({ body: z.string() }).parse(JSON.parse(sent))
      const { pathname } = new URL(request.url ?? "", "http://here")
      asked.push({ call: `${request.method} ${pathname}`, body })
      if (request.method === "POST") comments.push({ id: 7, body, user: { type: "Bot" } })
      answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(request.method === "GET" ? comments : {}))
    })()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = server.address()
  api = typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}` : ""
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(home, { recursive: true, force: true })
  home = ""
})

/** A `sluice` that prints its words, and then does this. */
async function stand(does: string): Promise<Readonly<Record<string, string>>> {
  const bin = path.join(home, "bin")
  await mkdir(bin)
  await writeFile(path.join(bin, "sluice"), `#!/bin/bash\necho "sluice $*"\n${does}\n`)
  await chmod(path.join(bin, "sluice"), 0o755)
  const place = { GITHUB_ACTION_PATH: folder, GITHUB_API_URL: api, GITHUB_REPOSITORY: "a/b", GITHUB_TOKEN: "t" }
  return { ...place, PATH: `${bin}:${process.env["PATH"]}`, PRUNE: "false", SLUICE_URL: "https://there", PULL_REQUEST: "5" }
}
const script = (name: string, env: Readonly<Record<string, string>>): Promise<Ran> => ran("bash", [path.join(folder, name)], env)

describe("the plan", () => {
  test("[F78] is one comment on the pull request, written again by the next run", async () => {
    const env = await stand("echo '+ agents/a.md'")
    comments.push({ id: 1, body: `<!-- sluice plan ${Buffer.from("https://there").toString("base64url")} -->`, user: { type: "User" } })
    expect((await script("plan.sh", env)).code).toBe(0)
    expect((await script("plan.sh", { ...env, PRUNE: "true" })).code).toBe(0)
    const base = "/repos/a/b/issues"
    expect(asked.map(({ call }) => call)).toEqual([
      `GET ${base}/5/comments`,
      `POST ${base}/5/comments`,
      `GET ${base}/5/comments`,
      `PATCH ${base}/comments/7`,
    ])
    expect(asked[1]?.body).toContain("```diff\nsluice plan\n+ agents/a.md\n```")
    expect(asked[3]?.body).toContain("sluice plan --prune")
  })

  test("[F78] that ends with another code ends the step with it, after the comment; no name leaves its block", async () => {
    const { code } = await script("plan.sh", await stand("echo '+ agents/````x.md'; exit 1"))
    expect([code, asked[1]?.body]).toEqual([1, expect.stringMatching(/refused:[^]*\n`{5}diff\n[^]*\n`{5}\n$/)])
  })

  test("[F78] of a push is only in the job's summary; a comment that is refused does not fail the step", async () => {
    const env = await stand("true")
    const summary = path.join(home, "summary.md")
    expect((await script("plan.sh", { ...env, PULL_REQUEST: "", GITHUB_STEP_SUMMARY: summary })).code).toBe(0)
    expect([asked, await readFile(summary, "utf8")]).toEqual([[], expect.stringContaining("### Sluice plan")])
    const refused = await script("plan.sh", { ...env, GITHUB_API_URL: "http://127.0.0.1:1" })
    expect([refused.code, refused.out]).toEqual([0, expect.stringContaining("::warning::")])
  })
})

describe("the tests", () => {
  const SERVES = `if [ "$1" = dev ]; then echo '{"type":"done"}'; exec sleep 600; fi`

  test.each([
    ["pass", 0],
    ["fail", 1],
  ])("[K20] run on a server of their own, without the key; that they %s is the step's end", async (_, code) => {
    const env = await stand(`${SERVES}; echo "url=$SLUICE_URL"; exit ${code}`)
    await mkdir(path.join(home, "flows"))
    await writeFile(path.join(home, "flows/one.test.yaml"), "cases: []\n")
    const done = await script("test.sh", { ...env, SLUICE_KEY: "k" })
    expect([done.code, done.out]).toEqual([code, "sluice test\nurl=\n"])
  })

  test("[K20] that are not there are a notice; a server that does not start is an error with what it said", async () => {
    const env = await stand("echo no; exit 1")
    expect(await script("test.sh", env)).toMatchObject({ code: 0, out: expect.stringContaining("::notice::") })
    await mkdir(path.join(home, "flows"))
    await writeFile(path.join(home, "flows/one.test.yaml"), "cases: []\n")
    expect(await script("test.sh", env)).toMatchObject({ code: 1, out: expect.stringMatching(/no\n::error::/) })
  })
})
