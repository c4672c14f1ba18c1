// Plants faults, one at a time, and demands that tests find each one: `npm run mutants`. Exit code 1 when a fault survives.
// A fault in the kernel is found by any of its tests; one that names its test, also outside the kernel, by that test. A test below test/worker
// runs in workerd.
//
// `npm run mutants -- Q3 G11` plants the faults whose names contain one of these words; `--tests oracle` lets only these tests look for them.
//
// A fault is a textual patch on a copy of src; a patch whose text does not occur exactly once is an error in this list and
// stops everything, so that the list cannot rot. The copies are under .tsbuild/, which git ignores and where node_modules
// is found.

import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Mutant } from "./mutants/mutant.ts"
import { IMPORTS } from "./mutants/imports.ts"
import { BODIES } from "./mutants/bodies.ts"
import { MODELS } from "./mutants/models.ts"
import { SERVERS } from "./mutants/servers.ts"
import { SESSIONS } from "./mutants/sessions.ts"
import { SHELL_RUN } from "./mutants/shell-run.ts"
import { OUTSIDE } from "./mutants/outside.ts"
import { SHELL_TENANT } from "./mutants/shell-tenant.ts"
import { NAMED } from "./mutants/names.ts"
import { KEEPING } from "./mutants/keeping.ts"
import { OUTSIDERS_SAY } from "./mutants/outsiders.ts"
import { TRUST } from "./mutants/trust.ts"
import { UNACCEPTED } from "./mutants/unaccepted.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
// A separate folder: two may run side by side.
const ground = path.join(root, ".tsbuild", `mutants-${process.pid}`)
// A fault may make a run endless where no test counts steps: then the time limit catches it.
const LONGEST_MS = 180_000
/** A copy of the Worker takes half a minute to load. */
const LONGEST_IN_WORKERD_MS = 600_000
/** All named tests in one go, which find no fault. */
const LONGEST_SOUND_MS = 1_200_000
// One finding is enough: which other tests would find the fault is not worth the wait.
const ENOUGH = 1

const MUTANTS: readonly Mutant[] = [
  ...BODIES,
  ...SESSIONS,
  ...SHELL_RUN,
  ...OUTSIDE,
  ...SHELL_TENANT,
  ...OUTSIDERS_SAY,
  ...TRUST,
  ...KEEPING,
  ...MODELS,
  ...IMPORTS,
  ...SERVERS,
  ...UNACCEPTED,
  ...NAMED,
  {
    name: "G2 drop the finish latch",
    file: "core/run/session/admit-session.ts",
    find: `if (latched) facts.push(refused(id`,
    put: `if (latched && i < 0) facts.push(refused(id`,
  },
  {
    name: "J3 drop the stale check of replies",
    file: "core/run/session/admit-session.ts",
    find: `const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined\n  if (!u || u.kind !== kind) return undefined`,
    put: `const u = run.underway[key] ?? { kind, step: key.split("/")[0] ?? "", attempt: 1, since: 0 }`,
  },
  {
    name: "J3 accept an answer of the wrong kind",
    file: "core/run/session/admit-session.ts",
    find: `if (!u || u.kind !== kind)`,
    put: `if (!u)`,
  },
  {
    name: "J10 forget action.lost",
    file: "core/run/apply.ts",
    find: `case "action.lost":\n      delete run.underway[e.key]\n`,
    put: `case "action.lost":\n`,
  },
  {
    name: "J11 send a lost write again",
    file: "core/run/admit.ts",
    find: `tool !== undefined && (!write || tool.idempotent === true)`,
    put: `tool !== undefined`,
  },
  {
    name: "G1 let an undeclared tool through",
    file: "core/run/session/guard.ts",
    find: `if (!tool || !verdict || !isHeld) {`,
    put: `if (!tool || !verdict) {`,
  },
  { name: "F17 skip the loop's cap", file: "core/steps/agent-loop-decision.ts", find: `if (iteration <= max)`, put: `if (iteration > 0)` },
  {
    name: "F18 skip the cap of a backward branch",
    file: "core/run/steps/route.ts",
    find: `if (n > max) return exhausted(run, route, max, n)`,
    put: ``,
  },
  { name: "F19 forget to reset the inner loop's counter", file: "core/run/steps/apply-opened.ts", find: `    s.entered = 0\n`, put: `` },
  { name: "F19 forget to reset an inner branch's counter", file: "core/run/steps/apply-opened.ts", find: `    s.taken = {}\n`, put: `` },
  {
    name: "F15 fall into the branch not chosen",
    file: "core/run/steps/enter.ts",
    find: `run.exclusions[decider]?.includes(id) === true`,
    put: `run.exclusions[decider]?.includes("") === true`,
  },
  {
    name: "J4 keep calls under way when their step ends",
    file: "core/run/steps/touch.ts",
    find: `if (run.underway[key]?.step === step) delete run.underway[key]`,
    put: ``,
  },
  {
    name: "Q2 accept a second answer",
    file: "core/run/admit.ts",
    find: `if (i.status !== "pending") return refuse("already_answered")`,
    put: ``,
  },
  {
    name: "F11 ignore blockedBy",
    file: "core/run/steps/enter.ts",
    find: `if (!(isCurrent ? isReady(run, id, step.blockedBy)`,
    put: `if (!(isCurrent ? step.blockedBy.length < 999`,
  },
  {
    name: "F11 ignore max_concurrent",
    file: "core/run/steps/enter.ts",
    find: `if (open + more >= run.plan.flow.max_concurrent) break`,
    put: ``,
  },
  {
    name: "F14 start steps that wait for a step that routed",
    file: "core/run/steps/enter.ts",
    find: `for (const id of waiters.get(r.step) ?? []) held.add(id)`,
    put: `held.add(r.step)`,
  },
  {
    name: "F14 let the fastest route win",
    file: "core/run/steps/route.ts",
    find: `[...run.routes].sort((a, b) => (order.get(a.step) ?? 0) - (order.get(b.step) ?? 0))`,
    put: `[...run.routes].sort((a, b) => (order.get(a.step) ?? 0) * 0 - (order.get(b.step) ?? 0) * 0)`,
  },
  {
    name: "J22 write side by side",
    file: "core/run/decide.ts",
    find: `const alone = tool !== undefined && isWrite(tool, args)`,
    put: `const alone = tool === undefined`,
  },
  {
    name: "G9 count results as they come",
    file: "core/run/session/repetition.ts",
    find: `if (session.open.some((o) => o.call.name !== ending)) return\n`,
    put: ``,
  },
  {
    name: "J24 let a steered turn continue",
    file: "core/run/session/admit-session.ts",
    find: `if (session.steers.length > 0)`,
    put: `if (session.steers.length > 99)`,
  },
  { name: "F35 skip the retry of an error's handler", file: "core/run/steps/apply-opened.ts", find: `    s.routed = true\n`, put: `` },
  {
    name: "J8 forget what a snapshot must contain",
    file: "core/run/steps/touch.ts",
    find: `  run.touched.add(id)\n  return`,
    put: `  return`,
  },
  {
    name: "J8 look at every question ever asked",
    file: "core/run/steps/touch.ts",
    find: `for (const id of run.pending) {`,
    put: `for (const id of Object.keys(run.interactions).filter((x) => run.interactions[x]?.status === "pending")) {`,
  },
  {
    name: "F40 expand what a question's template inserted",
    file: "core/flow/template.ts",
    find: `(signs) => signs + signs`,
    put: `(signs) => signs`,
    test: ["core/flow/template.test.ts", "[F40] any text can be written so that it stays as it is"],
  },
  {
    name: "T3 skip the denylist",
    file: "core/run/session/guard.ts",
    find: `if (forbidden !== undefined) return refuse(`,
    put: `if (forbidden === "never") return refuse(`,
  },
  {
    name: "T30 ignore an agent override's denials",
    file: "core/tool/policy/resolve.ts",
    find: `  if (denied !== undefined) return \`\${where}: \${name}: deny \${denied}\`\n`,
    put: ``,
  },
  {
    name: "T30 let a profile override a deny",
    file: "core/tool/policy/resolve.ts",
    find: `if (denied !== undefined) return { granted: false, rule: \`deny \${denied}\` }`,
    put: `if (denied !== undefined && rules.profile !== "full") return { granted: false, rule: \`deny \${denied}\` }`,
  },
  {
    name: "T30 know a tool by only one of its names",
    file: "core/tool/policy/tool-names.ts",
    find: `return [...new Set(own.flatMap((name) => [name, ...(FAMILY.get(name) ?? [])]))]`,
    put: `return own.slice(0, 1)`,
  },
  {
    name: "G1 judge a narrowed policy only when a step opens",
    file: "core/run/session/guard.ts",
    find: `if (!verdict.granted) return refuse("policy"`,
    put: `if (!verdict) return refuse("policy"`,
  },
  {
    name: "G1 return to older rules",
    file: "core/run/session/admit-session.ts",
    find: `rules.version > run.rules.version ? rules`,
    put: `rules.version !== run.rules.version ? rules`,
  },
  {
    name: "G7 forget the agent's globs",
    file: "core/run/session/guard.ts",
    find: `if (globs !== undefined && !allowedBy(globs, path.value))`,
    put: `if (globs !== undefined && globs.length > 9)`,
  },
  {
    name: "T32 run without the secret",
    file: "core/run/session/guard.ts",
    find: `if (missing !== undefined) return`,
    put: `if (missing === "") return`,
  },
  {
    name: "G11 forget the taint of a result",
    file: "core/run/session/apply-session.ts",
    find: `  if (session && e.tainted) {\n    session.tainted = true`,
    put: `  if (session && e.tainted) {`,
  },
  {
    name: "G11 forget that private data was read",
    file: "core/run/session/apply-session.ts",
    find: `if (session && e.private) session.private = true`,
    put: ``,
  },
  {
    name: "G11 leave the taint with the step that had it",
    file: "core/run/steps/apply-opened.ts",
    find: `  tainted: e.tainted === true,\n  ...(e.origins ? { origins: e.origins } : {}),\n  private: e.private === true,`,
    put: `  tainted: false,\n  private: e.private === true,`,
  },
  {
    name: "G11 believe a tool that says a POST only reads",
    file: "core/tool/reach.ts",
    find: `return { writes: writes(tool, args)`,
    put: `return { writes: tool.effect === "write"`,
  },
  {
    name: "G11 take a person's answer to a marked session for harmless",
    file: "core/run/session/taint.ts",
    find: `return marked && (typeof body`,
    put: `return marked && decider !== undefined && (typeof body`,
  },
  {
    name: "G11 lose the private mark in a fork's question",
    file: "core/run/session/open-session.ts",
    find: `preamble === undefined ? [] : quoted(run)`,
    put: `[]`,
  },
  {
    name: "G11 let a session that read private data look anywhere",
    file: "core/run/session/guard.ts",
    find: `return session.private && !(host`,
    put: `return session.private && session.agent === "" && !(host`,
  },
  {
    name: "Q3 approve without judging again",
    file: "core/run/session/admit-approval.ts",
    find: `  if (verdict.allow) {\n    const isOther`,
    put: `  if (decision === "approve") return ok([answered])\n  if (verdict.allow) {\n    const isOther`,
  },
  {
    name: "Q3 accept an edit without judging it",
    file: "core/run/session/admit-approval.ts",
    find: `if (decision === "edit") return err({ code: "invalid"`,
    put: `if (decision === "edit") return ok([{ ...answered, args: body.args ?? {} }])\n  if (decision === "edit") return err({ code: "invalid"`,
  },
  {
    name: "Q3 do not bind the approval to the call's hash",
    file: "core/run/session/admit-approval.ts",
    find: `if (body.hash !== undefined && body.hash !== i.payload["hash"]) return refuse("other_hash")`,
    put: ``,
  },
  {
    name: "Q3 run whatever arguments come with an approval",
    file: "core/run/decide.ts",
    find: `const args = open.args ?? open.approved ?? argsOf(run, open.call)`,
    put: `const args = open.args ?? argsOf(run, open.call)`,
  },
  {
    name: "Q3 let an approval of one call open its neighbor",
    file: "core/run/session/apply-session.ts",
    find: `find((o) => o.call.id === i.callId)\n  if (!open) return\n  waitsFor(run, open)`,
    put: `findLast((o) => o.asked !== undefined)\n  if (!open) return\n  waitsFor(run, open)`,
  },
  {
    name: "Q4 forget the tenant's floor",
    file: "core/tool/policy/approval.ts",
    find: `return policy.approvals.allow_relax || floor === undefined ? rules`,
    put: `return policy !== undefined ? rules`,
  },
  {
    name: "Q4 use the least specific setting",
    file: "core/tool/policy/approval.ts",
    find: `const rules = layers.find((layer) => layer.length > 0) ?? []`,
    put: `const rules = layers.findLast((layer) => layer.length > 0) ?? []`,
  },
  {
    name: "Q5 skip hooks that confirm",
    file: "core/tool/policy/approval.ts",
    find: `if (hook === "confirm") return { ask: "hook" }`,
    put: ``,
  },
  {
    name: "Q5 be conservative about tools only, not calls",
    file: "core/tool/policy/approval.ts",
    find: `policy.autonomy === "conservative" && writes(tool, args)`,
    put: `policy.autonomy === "conservative" && tool.effect === "write"`,
  },
  {
    name: "Q5 let an approval pass by itself when it expires",
    file: "core/run/session/admit-approval.ts",
    find: `return call ? [gone, refused(`,
    put: `if (call) return [{ type: "interaction.answered", id: i.id, decision: "approve", by: "nobody" }]\n  return call ? [gone, refused(`,
  },
  {
    name: "B1 count a lost call as free",
    file: "core/run/budget/budget-settle.ts",
    find: `cost === undefined ? held.amount`,
    put: `cost === undefined ? {}`,
  },
  {
    name: "B1 forget what siblings reserve",
    file: "core/run/budget/budget.ts",
    find: ` - (reserved[unit] ?? 0)`,
    put: ``,
  },
  {
    name: "B1 forget what the same batch reserved",
    file: "core/run/budget/budget.ts",
    find: ` - (purse.taken[unit] ?? 0)`,
    put: ``,
  },
  {
    name: "B1 release a step's reservation when it ends",
    file: "core/run/budget/budget-fold.ts",
    find: `close(run, key, held.amount)`,
    put: `close(run, key, {})`,
  },
  {
    name: "J11 send a lost POST of a tool that reads again",
    file: "core/tool/reach.ts",
    find: `"arg" in tool.reach.method ? writes(tool, args) : isOverridden`,
    put: `"arg" in tool.reach.method ? false : isOverridden`,
  },
  {
    name: "J22 let a write that was approved late meet a later call",
    file: "core/run/decide.ts",
    find: `const meets = alone ? begun > 0 : writing`,
    put: `const meets = false`,
  },
  {
    name: "J5 let newly approved calls delay lost ones",
    file: "core/run/decide.ts",
    find: `if (beginsAnew(run, open, key) ? mayBegin : !Object.hasOwn(run.underway, key))`,
    put: `if (mayBegin && !Object.hasOwn(run.underway, key))`,
  },
]

const { values, positionals: wanted } = parseArgs({ options: { tests: { type: "string" } }, allowPositionals: true })
const onlyTests = values.tests === undefined ? [] : [values.tests]

type Named = NonNullable<Mutant["test"]>

const isInWorkerd = ([file]: Named): boolean => file.startsWith("worker/")

interface Verdict {
  readonly name: string
  readonly ok: boolean
  /** Names of the tests that failed, by file. */
  readonly failed: readonly { readonly file: string; readonly title: string }[]
  readonly seconds: number
  readonly note?: string
}

/** Copies what these tests need; undefined: the tests of the kernel. */
function plant(mutant: Mutant | undefined, tests: readonly Named[] | undefined, folder: string): void {
  // The world of the property tests plays turns as the models do.
  const own = tests ? ["test/fixtures", ...new Set(tests.map(([file]) => path.join("test", path.dirname(file))))] : ["test/core/run"]
  for (const part of ["src", "test/support", "test/budget", ...own])
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true, filter: (from) => path.basename(from) !== "tsconfig.json" })
  writeFileSync(path.join(folder, "tsconfig.json"), "{}")
  if (tests?.some(isInWorkerd) === true) plantWorker(folder)
  if (mutant === undefined) return
  const file = path.join(folder, "src", mutant.file)
  const source = readFileSync(file, "utf8")
  const found = source.split(mutant.find).length - 1
  if (found !== 1)
    throw new Error(
      `mutant "${mutant.name}": its text is ${found} times in src/${mutant.file}, not once. Write the patch anew:\n${mutant.find}`,
    )
  writeFileSync(
    file,
    source.replace(mutant.find, () => mutant.put),
  )
}

/** What the tests in workerd have beside the others: their configuration, and what it builds and reads. */
function plantWorker(folder: string): void {
  for (const part of ["vitest.config.ts", "wrangler.toml", "package.json", "local", "web", "agents", "flows", "skills", "test/sandbox"])
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true, filter: (from) => path.basename(from) !== "tsconfig.json" })
  for (const part of ["dist", "console", "node_modules"]) symlinkSync(path.join(root, part), path.join(folder, part))
}

/** Runs these tests of the copy, or all. Property tests stop at their first counterexample. */
async function judge(name: string, tests: readonly Named[] | undefined, folder: string, ms = longest(tests)): Promise<Verdict> {
  const report = path.join(folder, "report.json")
  const started = performance.now()
  const code = await vitest(folder, tests, report, ms)
  const seconds = (performance.now() - started) / 1_000
  if (!existsSync(report))
    return { name, ok: false, failed: [], seconds, note: code === undefined ? "ran out of time" : "did not even start" }
  const found: Report = JSON.parse(readFileSync(report, "utf8"))
  // A fault that does not load is not found by any test: the patch is wrong.
  const broken = found.testResults.find((f) => f.assertionResults.length === 0)
  if (broken) throw new Error(`"${name}": ${path.basename(broken.name)} does not load: ${broken.message ?? ""}`)
  const ran = found.testResults.flatMap((f) => f.assertionResults).filter((a) => a.status === "passed" || a.status === "failed")
  const absent = tests?.find(([, title]) => !ran.some((a) => a.title.includes(title)))
  if (absent && code === 0) throw new Error(`"${name}": test/${absent[0]} has no test "${absent[1]}"`)
  return { name, ok: code === 0, failed: failuresIn(found), seconds }
}

const longest = (tests: readonly Named[] | undefined): number => (tests?.some(isInWorkerd) === true ? LONGEST_IN_WORKERD_MS : LONGEST_MS)

/** The exit code; undefined when it had to be stopped. */
function vitest(folder: string, tests: readonly Named[] | undefined, report: string, ms: number): Promise<number | undefined> {
  const titles = tests?.map(([, title]) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")
  const args = [
    path.join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    ...(tests ? new Set(tests.map(([file]) => path.join("test", file))) : onlyTests),
    ...(titles === undefined ? [] : ["--testNamePattern", titles]),
    ...(tests?.some(isInWorkerd) === true ? ["--project", "worker"] : []),
    "--root",
    folder,
    "--no-isolate",
    "--maxWorkers=1",
    `--bail=${ENOUGH}`,
    // A slow machine finds no faults.
    `--testTimeout=${LONGEST_MS}`,
    "--reporter=json",
    `--outputFile=${report}`,
  ]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", env: { ...process.env, SLUICE_MUTANT: "1" } })
    const timer = setTimeout(() => child.kill("SIGKILL"), ms)
    child.on("exit", (code) => {
      clearTimeout(timer)
      resolve(code ?? undefined)
    })
  })
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message?: string
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[]
  }[]
}

const failuresIn = (report: Report): { file: string; title: string }[] =>
  report.testResults.flatMap((file) =>
    file.assertionResults.filter((a) => a.status === "failed").map((a) => ({ file: path.basename(file.name, ".test.ts"), title: a.title })),
  )

function row({ name, ok, failed, seconds, note }: Verdict): string {
  const properties = failed.filter((f) => f.file === "properties").length
  const where = [...new Set(failed.map((f) => f.file).filter((f) => f !== "properties"))].join(" ")
  const result = ok ? "SURVIVED" : note !== undefined ? note : `${properties} properties, ${failed.length - properties} examples ${where}`
  return `${name.padEnd(52)} ${seconds.toFixed(0).padStart(4)} s  ${result}`
}

const testsOf = ({ test }: Mutant): readonly Named[] | undefined => test && [test]

async function main(): Promise<number> {
  rmSync(ground, { recursive: true, force: true })
  const mutants = MUTANTS.filter((m) => wanted.length === 0 || wanted.some((w) => m.name.includes(w)))
  const folders = new Map<Mutant, string>()
  for (const [i, mutant] of mutants.entries()) {
    const folder = path.join(ground, String(i))
    mkdirSync(folder, { recursive: true })
    plant(mutant, testsOf(mutant), folder)
    folders.set(mutant, folder)
  }
  // A test that fails without a fault proves nothing about one.
  const named = mutants.flatMap(({ test }) => (test ? [test] : []))
  const groups = [named.filter((test) => !isInWorkerd(test)), named.filter(isInWorkerd)].filter((group) => group.length > 0)
  const kinds = [...(named.length < mutants.length ? [undefined] : []), ...groups]
  for (const [i, tests] of kinds.entries()) {
    const folder = path.join(ground, `sound-${i}`)
    mkdirSync(folder, { recursive: true })
    plant(undefined, tests, folder)
    const sound = await judge("no fault", tests, folder, LONGEST_SOUND_MS)
    if (!sound.ok) {
      console.log(`the tests fail without any fault: ${sound.note ?? sound.failed.map((f) => `${f.file}: ${f.title}`).join("; ")}`)
      return 1
    }
    console.log(`${"no fault".padEnd(52)} ${sound.seconds.toFixed(0).padStart(4)} s  passes`)
  }
  const queue = [...mutants]
  const survivors: string[] = []
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const verdict = await judge(mutant.name, testsOf(mutant), folders.get(mutant) ?? "")
      if (verdict.ok) survivors.push(mutant.name)
      console.log(row(verdict))
    }
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))
  rmSync(ground, { recursive: true, force: true })
  console.log(`${mutants.length - survivors.length} of ${mutants.length} faults found`)
  return survivors.length === 0 ? 0 : 1
}

process.exitCode = await main()
