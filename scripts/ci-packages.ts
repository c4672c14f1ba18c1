// Finds, and installs, the packages that only CI and contributors run (formatter, linters, compiler, Prism). They have their own package.json in test/ci,
// so that `npm ci` installs only what serving and testing need. It is not in test/ itself: tests would find its packages before the
// project's.

import { execFileSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { access } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { runMain, Trouble } from "../local/trouble.ts"

const packages = fileURLToPath(new URL("../test/ci/node_modules", import.meta.url))

/** Installs what a folder's own lockfile names, unless it is there. npm keeps a copy of the lockfile that it has installed from. */
export function installed(folder: string): void {
  const [lock, done] = [path.join(folder, "package-lock.json"), path.join(folder, "node_modules/.package-lock.json")]
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs) return
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  execFileSync(npm, ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, stdio: "inherit" })
}

/** The path of a file of these packages. Throws Trouble when they are not installed. */
export async function ciPackage(file: string): Promise<string> {
  await access(packages).catch(() => {
    throw new Trouble("this needs the packages of test/ci: run `npm ci --prefix test/ci` first")
  })
  return path.join(packages, file)
}

/** The linter reads the console too, whose packages are its own. */
async function needAll(): Promise<void> {
  await ciPackage(".")
  await access(fileURLToPath(new URL("../console/node_modules", import.meta.url))).catch(() => {
    throw new Trouble("this needs the packages of the console: run `npm run console -- --packages` first")
  })
}

if (import.meta.main) await runMain(needAll)
