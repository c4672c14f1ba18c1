// `npm run package:folders`: random projects against a live server, by the command line. An apply does what its plan says, and the second one
// changes nothing; what is exported gives an empty tenant the same files; a server that is killed in the middle of an apply has the old project or
// the new one, its rows included. `FOLDERS=N` (100), `KILLS=N` (a fifth of it) and `SEED=N`; ends with `folders: N passed, M failed`.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { filesOf } from "../../../cli/project/difference.ts"
import { buildWorker } from "../../../local/build.ts"
import { Sluice } from "../../../src/client/sluice.ts"
import { SCOPES } from "../../../src/api/route/route.ts"
import type { Check } from "../../crash/evidence.ts"
import { sayVerdict } from "../../crash/verdict.ts"
import { Victim } from "../../crash/victim.ts"
import { sluice } from "../sluice.ts"
import { folder, namesIn, toolsIn, type Folder } from "./random-folder.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const count = Number(process.env["FOLDERS"] ?? 100)
const kills = Number(process.env["KILLS"] ?? Math.ceil(count / 5))
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
/** Percent of the time that such an apply has just taken: a kill falls anywhere in it, or just after. */
const LATEST = 130

const checks: Check[] = []
const check = (what: string, isTrue: boolean, otherwise: unknown): void =>
  void checks.push({ name: what, fault: isTrue ? undefined : `${JSON.stringify(otherwise).slice(0, 1_500)} (SEED=${seed})` })

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const home = await mkdtemp(path.join(tmpdir(), "sluice-folders-"))
let server: Victim | undefined

interface Tenant {
  readonly client: Sluice
  readonly env: Readonly<Record<string, string>>
}
let tenants = 0
async function tenant({ url }: Victim): Promise<Tenant> {
  const id = `folders-${tenants++}`
  const admin = new Sluice({ url, key: "sl_admin_local" })
  await admin.tenants.create({ id })
  const { key } = await admin.tenants.keys(id).create({ name: "all", scopes: [...SCOPES] })
  if (key === undefined) throw new Error("a new key is not told")
  return { client: new Sluice({ url, key }), env: { SLUICE_URL: url, SLUICE_KEY: key } }
}

async function written(name: string, all: Folder): Promise<string> {
  const at = path.join(home, name)
  await rm(at, { recursive: true, force: true })
  for (const [file, text] of Object.entries({ "sluice.yaml": `name: ${name}\n`, ...all })) {
    await mkdir(path.dirname(path.join(at, file)), { recursive: true })
    await writeFile(path.join(at, file), text)
  }
  return at
}

async function ran(args: readonly string[], cwd: string, env: Tenant["env"]): Promise<Record<string, unknown>> {
  const done = await sluice([...args, "--json"], { cwd, env })
  if (done.code !== 0) throw new Error(`sluice ${args.join(" ")} ended with ${done.code}: ${done.out}${done.err}`)
  return JSON.parse(done.out) as Record<string, unknown>
}
const exported = async ({ client }: Tenant): Promise<Folder> => Object.fromEntries(filesOf(await client.catalog.export()))

/** The names of all rows of a list of the API. */
async function namesOf({ env }: Tenant, list: string): Promise<readonly string[]> {
  const names: string[] = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = cursor === "" ? "" : `&cursor=${cursor}`
    const answer = await fetch(`${env["SLUICE_URL"]}/v1/${list}?limit=200${page}`, {
      headers: { authorization: `Bearer ${env["SLUICE_KEY"]}` },
    })
    const body = (await answer.json()) as { data: readonly { name?: string }[]; next_cursor: string | null }
    names.push(...body.data.flatMap(({ name }) => name ?? []))
    cursor = body.next_cursor
  }
  return names.sort()
}

/** What the rows of the tenant are, and what they would be of this folder. */
async function rowsOf(here: Tenant): Promise<unknown> {
  const [hooks, schedules, callbacks, tools, servers] = await Promise.all(
    ["hooks", "schedules", "callbacks", "tools", "mcp-servers"].map((list) => namesOf(here, list)),
  )
  const own = tools?.filter((name) => /^(?:look_|(?:alpha|beta|gamma|delta)_)/.test(name))
  const { budget, roles } = here.client.settings
  return { hooks, schedules, callbacks, tools: own, servers, budget: await budget.get(), roles: await roles.get() }
}
function rowsFor(all: Folder): unknown {
  const said = (file: string): string | undefined => / (.*)\n/.exec(all[file] ?? "")?.[1]
  const [usd, fast] = [said("budget.yaml"), said("roles.yaml")]
  return {
    hooks: namesIn(all, "hooks"),
    schedules: namesIn(all, "schedules"),
    callbacks: namesIn(all, "callbacks"),
    tools: toolsIn(all),
    servers: namesIn(all, "tools/mcp"),
    budget: usd === undefined ? {} : { usd: Number(usd) },
    roles: fast === undefined ? {} : { fast },
  }
}

/** What one folder's apply changes in another. */
const changesOf = (before: Folder, after: Folder) => ({
  added: Object.keys(after)
    .filter((file) => !(file in before))
    .sort(),
  changed: Object.keys(after)
    .filter((file) => file in before && before[file] !== after[file])
    .sort(),
  removed: Object.keys(before)
    .filter((file) => !(file in after))
    .sort(),
})
const saidOf = ({ added, changed, removed }: Record<string, unknown>) => ({ added, changed, removed })

/** A project grows up: applied, applied again, changed, moved to another tenant. */
async function life(at: Victim, n: number, first: Folder, second: Folder): Promise<void> {
  const here = await tenant(at)
  const cwd = await written(`p${n}`, first)
  const planned = await ran(["plan"], cwd, here.env)
  const applied = await ran(["apply"], cwd, here.env)
  check("plan says what apply does", isDeepStrictEqual(saidOf(planned), saidOf(applied)), [saidOf(planned), saidOf(applied)])
  const again = await ran(["apply"], cwd, here.env)
  const { revision } = await here.client.catalog.list()
  check("applying twice is one revision", again["revision"] === null && revision === 1, [again, revision])
  check("the server has exactly the folder", isDeepStrictEqual(await exported(here), first), changesOf(first, await exported(here)))
  const rows = await rowsOf(here)
  check("hooks, schedules, callbacks, tools and settings are those of the files", isDeepStrictEqual(rows, rowsFor(first)), [
    rows,
    rowsFor(first),
  ])

  await written(`p${n}`, second)
  const change = await ran(["plan", "--prune"], cwd, here.env)
  await ran(["apply", "--prune", "--yes"], cwd, here.env)
  // A kind without a folder is not the project's.
  const kinds = new Set(Object.keys(second).map((file) => file.split("/")[0]?.replace(/^.*\.yaml$/, "settings")))
  const kept = Object.entries(first).filter(([file]) => !kinds.has((file.split("/")[0] ?? "").replace(/^.*\.yaml$/, "settings")))
  const wanted = { ...Object.fromEntries(kept), ...second }
  check("plan --prune says what changes", isDeepStrictEqual(saidOf(change), changesOf(first, wanted)), [
    saidOf(change),
    changesOf(first, wanted),
  ])
  check("apply --prune leaves the folder", isDeepStrictEqual(await exported(here), wanted), changesOf(wanted, await exported(here)))
  const now = await rowsOf(here)
  check("the rows follow the files", isDeepStrictEqual(now, rowsFor(wanted)), [now, rowsFor(wanted)])

  const [copy, there] = [path.join(home, `copy${n}`), await tenant(at)]
  await ran(["catalog", "pull", copy], home, here.env)
  await ran(["apply", copy], home, there.env)
  check(
    "an export applied to an empty tenant is the same project",
    isDeepStrictEqual(await exported(there), wanted),
    changesOf(wanted, await exported(there)),
  )
  const names = (await readdir(copy, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  const texts = await Promise.all(names.map((one) => readFile(path.join(one.parentPath, one.name), "utf8")))
  check(
    "the export has every file and no other",
    texts.length === Object.keys(wanted).length,
    names.map((one) => one.name),
  )
}

/** SIGKILL somewhere in an apply. */
async function killed(at: Victim, first: Folder, second: Folder, percent: number): Promise<"old" | "new"> {
  const here = await tenant(at)
  const whole = { agents: {}, flows: {}, skills: {}, code: {}, tests: {}, hooks: {}, schedules: {}, callbacks: {}, tools: {}, settings: {} }
  const bundle = (all: Folder) =>
    Object.entries(all).reduce<Record<string, Record<string, string>>>(
      (found, [file, text]) => {
        const slash = file.indexOf("/")
        const [kind, name] = slash < 0 ? ["settings", file] : [file.slice(0, slash), file.slice(slash + 1)]
        return { ...found, [kind]: { ...found[kind], [name]: text } }
      },
      { ...whole },
    )
  await here.client.catalog.replace(bundle(first))
  const began = performance.now()
  await here.client.catalog.replace(bundle(second))
  const took = performance.now() - began
  await here.client.catalog.replace(bundle(first))
  const headers = { authorization: `Bearer ${here.env["SLUICE_KEY"] ?? ""}`, "content-type": "application/json" }
  const apply = (): Promise<unknown> =>
    fetch(`${at.url}/v1/catalog`, { method: "PUT", headers, body: JSON.stringify(bundle(second)) }).catch(() => undefined)
  const going = apply()
  await new Promise((wake) => setTimeout(wake, (took * percent) / 100))
  await at.killAndRestart("both")
  await going
  const found = await exported(here)
  const which = isDeepStrictEqual(found, second) ? "new" : isDeepStrictEqual(found, first) ? "old" : undefined
  check("after a kill the project is the old one or the new one", which !== undefined, [changesOf(first, found), changesOf(second, found)])
  const [rows, wanted] = [await rowsOf(here), rowsFor(which === "new" ? second : first)]
  check("after a kill the rows are those of its files", isDeepStrictEqual(rows, wanted), [rows, wanted])
  await apply()
  check(
    "the apply after it brings the new one",
    isDeepStrictEqual([await exported(here), await rowsOf(here)], [second, rowsFor(second)]),
    which,
  )
  return which ?? "old"
}

try {
  const worker = path.join(home, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  server = await Victim.create(worker)
  await server.start()
  const folders = fc.sample(folder, { seed, numRuns: 2 * (count + kills) })
  const next = (): Folder => folders.pop() ?? {}
  for (let n = 0; n < count; n++) {
    await life(server, n, next(), next())
    if (n % 20 === 19) console.log(`${n + 1} folders (SEED=${seed})`)
  }
  const fates = { old: 0, new: 0 }
  const delays = fc.sample(fc.integer({ min: 0, max: LATEST }), { seed, numRuns: kills })
  for (const percent of delays) fates[await killed(server, next(), next(), percent)]++
  console.log(`${count} folders, ${kills} kills: ${fates.old} left the old project, ${fates.new} the new one (SEED=${seed})`)
} catch (error) {
  check("the random folders reached their end", false, error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await server?.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(sayVerdict("folders", checks) ? 0 : 1)
