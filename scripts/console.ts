// `npm run console`: checks the types of the console and builds it into console/built, which is committed, so the server needs none of the
// console's packages. `--check` builds elsewhere and fails if the committed files differ, if the styles of a page reach another one, or if it has
// grown too heavy. `--packages` only installs. Missing packages are installed from the console's own lockfile.

import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { runMain, Trouble } from "../local/trouble.ts"
import { ciPackage, installed } from "./ci-packages.ts"
import { leaks } from "./console-style.ts"
import { tooHeavy } from "./console-weight.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = path.join(root, "console")
const BUILT = path.join(folder, "built")

await runMain(async () => {
  installed(folder)
  if (process.argv.includes("--packages")) return
  node(await ciPackage("typescript/bin/tsc"), "-p", folder)
  if (!process.argv.includes("--check")) return build(BUILT)
  const beside = mkdtempSync(path.join(tmpdir(), "sluice-console-"))
  try {
    build(beside)
    const different = differences(beside, BUILT)
    if (different.length > 0)
      throw new Trouble(`console/built does not match the sources: run \`npm run console\` (${different.join(", ")})`)
    console.log("console/built matches the sources")
    const faults = [...leaks(path.join(folder, "app"), BUILT), ...tooHeavy(BUILT)]
    if (faults.length > 0) throw new Trouble(faults.join("\n"))
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
})

function build(outDir: string): void {
  node(
    path.join(folder, "node_modules/vite/bin/vite.js"),
    "build",
    "--config",
    path.join(folder, "vite.config.ts"),
    "--outDir",
    outDir,
    "--emptyOutDir",
  )
}

function node(...args: readonly string[]): void {
  try {
    execFileSync(process.execPath, args, { cwd: folder, stdio: "inherit" })
  } catch {
    throw new Trouble("the console does not build")
  }
}

/** Names of files that are in one folder alone, or differ. */
function differences(one: string, other: string): string[] {
  const names = new Set([...filesOf(one), ...filesOf(other)])
  return [...names].filter((name) => contents(one, name) !== contents(other, name)).sort()
}

function filesOf(place: string): string[] {
  if (!existsSync(place)) return []
  return readdirSync(place, { recursive: true, encoding: "utf8" }).filter((name) => statSync(path.join(place, name)).isFile())
}

function contents(place: string, name: string): string | undefined {
  const file = path.join(place, name)
  return existsSync(file) ? readFileSync(file, "base64") : undefined
}
