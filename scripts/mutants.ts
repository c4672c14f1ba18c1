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
import { MUTANTS } from "./mutants/all.ts"
import type { Mutant } from "./mutants/mutant.ts"

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
