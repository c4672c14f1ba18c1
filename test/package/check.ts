// `npm run package:check`: the package as a user has it. From the packed tarball, in an empty folder, on Node 20, with no part of this
// repository: install, init, dev, an edit with its rehearsed result, a mistake with its place, test, plan, apply to a second server, run. Each
// stage says its time; `npm run package:check -- --figures` prints them as the table of bench/FIGURES.md; `-- --clone` makes the package in a fresh
// clone of what is committed. Ends with `N passed, N failed`.
//
// The tarball's dependencies come from the npm registry, or from npm's cache.

import { spawnSync, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { node20 } from "./node-20.ts"
import { serve } from "./served.ts"
import { ITS_FLOW, OWN_TOOL, USER } from "./uses.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const home = await mkdtemp(path.join(tmpdir(), "sluice-package-"))
const project = path.join(home, "my-flows")
const second = path.join(home, "second")
const children: ChildProcess[] = []
const stages: (readonly [string, number, string])[] = []
let passed = 0
let failed = 0

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL")
})

const node = await node20(home)
/** A person's environment: no setting of Sluice, npm or this repository's tools. */
const env = {
  HOME: home,
  PATH: `${path.dirname(node)}:/usr/local/bin:/usr/bin:/bin`,
  XDG_CONFIG_HOME: path.join(home, "config"),
  npm_config_cache: process.env["npm_config_cache"] ?? path.join(process.env["HOME"] ?? home, ".npm"),
  npm_config_loglevel: "error",
}

const command = [node, path.join(project, "node_modules/sluice/bin/sluice.js")]

async function everything(): Promise<void> {
  const source = process.argv.includes("--clone") ? cloned() : root
  const made = spawnSync("npm", ["run", "--silent", "package"], { cwd: source, encoding: "utf8" })
  check("npm run package makes the package, with no step before it", made.status === 0, made.stderr)
  const tarball = /npm install (\S+\.tgz)/.exec(made.stdout)?.[1] ?? ""
  check("it names the tarball that it made", existsSync(tarball), made.stdout)
  lint(source, tarball)

  await mkdir(project)
  await stage("npm install TARBALL", async () => {
    await writeFile(path.join(project, "package.json"), '{"private":true,"type":"module"}\n')
    const done = run("npm", ["install", "--no-audit", "--no-fund", tarball], project)
    check("the tarball installs on Node 20", done.code === 0, done.err)
    return `${Math.round(Number(run("du", ["-sm", "node_modules"], project).out.split("\t")[0]))} MB with its dependencies`
  })
  await stage("sluice init", async () => {
    const done = sluice(["init", "demo"], project)
    check(
      "coding agents find the manual",
      existsSync(path.join(project, "AGENTS.md")) && existsSync(path.join(project, "node_modules/sluice/skills/sluice/SKILL.md")),
      done.out,
    )
    const page = sluice(["docs", "steps"], project)
    check("docs prints a page", page.code === 0 && page.out.startsWith("# Step types"), page.out + page.err)
    check("init makes a project without a question", done.code === 0 && existsSync(path.join(project, "flows/hello.yaml")), done.err)
    return "demo"
  })
  await imports()

  let url = ""
  const dev = await stageOf("sluice dev, to the first tested state", async () => {
    const served = await serve(command, { cwd: project, env, more: [] }, children)
    url = served.url
    const done = await served.until("done")
    check("dev serves, applies the project and runs its tests", done["passed"] === true, JSON.stringify(done))
    return [served, "workerd, 6 files, 1 test"] as const
  })

  const greeter = path.join(project, "agents/greeter.md")
  const agent = await readFile(greeter, "utf8")
  await stage("an agent is saved, to its rehearsed and tested result", async () => {
    await writeFile(greeter, agent.replace("in one sentence", "in one short sentence"))
    const rehearsed = await dev.until("rehearsed")
    const done = await dev.until("done")
    check(
      "a save is rehearsed and tested",
      rehearsed["status"] === "succeeded" && done["passed"] === true,
      JSON.stringify([rehearsed, done]),
    )
    return `${String(done["ms"])} ms of these after the watcher's call`
  })
  await stage("a mistake is saved, to its place", async () => {
    const flow = path.join(project, "flows/hello.yaml")
    const text = await readFile(flow, "utf8")
    await writeFile(flow, text.replace("agent: greeter", "agent: greter"))
    const checked = await dev.until("checked", (told) => told["valid"] === false)
    const [found] =
      (checked["diagnostics"] as Record<string, { line: number; column: number; suggestion: string }[]>)["flows/hello.yaml"] ?? []
    check("a mistake has its line and a suggestion", found?.line === 5 && found.suggestion.includes("greeter"), JSON.stringify(checked))
    const validated = sluice(["validate", "--format", "github"], project)
    check("validate ends with 3", validated.code === 3 && validated.out.startsWith("::error file=flows/hello.yaml,line=5"), validated.out)
    await writeFile(flow, text)
    await dev.until("done", (told) => told["passed"] === true)
    return `${String(checked["ms"])} ms of these after the watcher's call`
  })
  await stage("a tool of the project's own Worker, to its call in a run", async () => {
    const index = await readFile(path.join(project, "src/index.ts"), "utf8")
    for (const [file, text] of Object.entries(OWN_TOOL)) {
      await mkdir(path.dirname(path.join(project, file)), { recursive: true })
      await writeFile(path.join(project, file), text)
    }
    const renewed = await dev.until("worker", ({ message }) => String(message).includes("started again"))
    const called = sluice(["tools", "call", "shout", '{"text": "ada"}', "--json"], project)
    check("the running Worker has the project's tool", called.out.includes("ADA"), JSON.stringify(renewed) + called.out + called.err)
    for (const [file, text] of Object.entries(ITS_FLOW)) await writeFile(path.join(project, file), text)
    const done = await dev.until("rehearsed", ({ flow }) => flow === "cry")
    check("an agent may use it", done["status"] === "succeeded", JSON.stringify(done))
    const logs = sluice(["logs", String(done["run"]), "--json"], project)
    check(
      "its calls run in the run, with the project's hook around them",
      logs.out.includes("ADA") && logs.out.includes("not that word"),
      logs.out,
    )
    for (const file of Object.keys({ ...OWN_TOOL, ...ITS_FLOW })) if (!/^(?:src|sluice)/.test(file)) await rm(path.join(project, file))
    await writeFile(path.join(project, "src/index.ts"), index)
    await dev.until("worker", ({ message }) => String(message).includes("started again"))
    return `shout, of tools/shout.ts`
  })
  await stage("sluice test", async () => {
    const done = sluice(["test"], project)
    check("test finds dev's server and passes", done.code === 0 && done.out.includes("1 passed, 0 failed"), done.out + done.err)
    return "1 case"
  })

  await mkdir(second)
  const remote = await stageOf("a second server", async () => {
    check("init makes an empty project", sluice(["init", "empty"], second).code === 0, "")
    const served = await serve(command, { cwd: second, env, more: ["--no-watch"] }, children)
    await served.until("done")
    const kept = sluice(["login", "--url", served.url, "--profile", "production", "--key-stdin"], project, "sl_local_dev\n")
    check("login keeps a profile", kept.code === 0, kept.err)
    return [served, ""] as const
  })
  check("the second server is another", remote.url !== url, remote.url)
  const there = ["--profile", "production"]
  await stage("sluice plan", async () => {
    const done = sluice(["plan", "--json", ...there], project)
    const { added, changed } = JSON.parse(done.out) as { added: string[]; changed: string[] }
    check("plan names what the second server lacks", added.length === 6 && changed.length === 0, done.out)
    return "6 files to add"
  })
  await stage("sluice apply", async () => {
    const done = sluice(["apply", ...there], project)
    check("apply sends them as one revision", done.code === 0 && done.out.includes("6 to add"), done.out + done.err)
    const again = JSON.parse(sluice(["apply", "--json", ...there], project).out) as { revision: unknown }
    check("a second apply changes nothing", again.revision === null, JSON.stringify(again))
    return "one revision"
  })
  await stage("sluice run", async () => {
    const done = sluice(["run", "hello", "--rehearse", "--task", "Greet Ada.", ...there], project)
    check("the flow runs on the second server", done.code === 0 && done.out.includes("Good day, Ada."), done.out + done.err)
    return "rehearsed, 2 agents"
  })
}

/** What is committed, with nothing installed but what `npm ci` installs. */
function cloned(): string {
  const clone = path.join(home, "clone")
  const got = spawnSync("git", ["clone", "--quiet", root, clone], { encoding: "utf8" })
  check("git clone", got.status === 0, got.stderr)
  const done = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: clone, encoding: "utf8" })
  check("npm ci in the clone", done.status === 0, done.stderr)
  return clone
}

function lint(source: string, tarball: string): void {
  const bin = (name: string): string => path.join(root, "test/package/node_modules/.bin", name)
  if (!existsSync(bin("publint"))) return check("npm ci --prefix test/package was run", false, "")
  const published = spawnSync(process.execPath, [bin("publint"), "--strict", path.join(source, "dist/package")], { encoding: "utf8" })
  check("publint finds nothing", published.status === 0, published.stdout)
  const typed = spawnSync(process.execPath, [bin("attw"), tarball, "--profile", "esm-only"], { encoding: "utf8" })
  check("arethetypeswrong finds nothing", typed.status === 0, typed.stdout)
}

/** Every export, from JavaScript on Node 20 and from strict TypeScript without a switch for extensions. */
async function imports(): Promise<void> {
  const names = {
    sluice: ["Sluice", "SluiceError", "Paged"],
    "sluice/tools": ["ToolFailure", "defineTool", "fromFlowai", "fromFlynn", "wrapTool"],
    "sluice/testing": ["startSluice"],
  }
  for (const [name, wanted] of Object.entries(names)) {
    const found = run(node, ["--input-type=module", "-e", `console.log(JSON.stringify(Object.keys(await import("${name}"))))`], project)
    check(`import "${name}" on Node 20`, isDeepStrictEqual(JSON.parse(found.out || "[]"), [...wanted].sort()), found.out + found.err)
  }
  await writeFile(path.join(project, "user.ts"), USER)
  await mkdir(path.join(project, "node_modules/@types"), { recursive: true })
  await symlink(path.join(root, "console/node_modules/@types/react"), path.join(project, "node_modules/@types/react"))
  for (const module of ["nodenext", "preserve"]) {
    const options = [
      // The project's own tsconfig says other things.
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--target",
      "es2022",
      "--lib",
      "es2023,dom",
      "--types",
      "",
      "--module",
      module,
    ]
    const tsc = path.join(root, "test/ci/node_modules/.bin/tsc")
    const done = run(process.execPath, [tsc, ...options, "user.ts", "src/index.ts"], project)
    check(`the types are right with --module ${module}`, done.code === 0, done.out)
  }
  await rm(path.join(project, "user.ts"))
}

interface Done {
  readonly code: number | null
  readonly out: string
  readonly err: string
}
function run(program: string, args: readonly string[], cwd: string, input = ""): Done {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8", input })
  return { code: status, out: stdout, err: stderr }
}
const sluice = (args: readonly string[], cwd: string, input?: string): Done =>
  run(node, [path.join(project, "node_modules/sluice/bin/sluice.js"), ...args], cwd, input)

async function stageOf<T>(name: string, act: () => Promise<readonly [T, string]>): Promise<T> {
  const began = performance.now()
  const [value, more] = await act()
  const ms = performance.now() - began
  stages.push([name, ms, more])
  console.log(`     ${name}: ${(ms / 1000).toFixed(1)} s${more === "" ? "" : `, ${more}`}`)
  return value
}
const stage = (name: string, act: () => Promise<string>): Promise<undefined> => stageOf(name, async () => [undefined, await act()])

function check(what: string, isTrue: boolean, otherwise: string): void {
  if (isTrue) passed += 1
  else failed += 1
  console.log(`${isTrue ? "ok  " : "FAIL"} ${what}${isTrue ? "" : `\n${otherwise}`}`)
}

try {
  await everything()
} catch (error) {
  failed += 1
  console.log(`FAIL ${error instanceof Error ? error.message : String(error)}`)
} finally {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
if (process.argv.includes("--figures")) {
  console.log("\n| stage | seconds | |\n| --- | ---: | --- |")
  for (const [name, ms, more] of stages) console.log(`| ${name} | ${(ms / 1000).toFixed(1)} | ${more} |`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
