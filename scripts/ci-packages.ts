// Finds the packages that only CI and contributors run (formatter, linters, compiler, Prism). They have their own package.json in test/ci,
// so that `npm ci` installs only what serving and testing need. It is not in test/ itself: tests would find its packages before the
// project's.

import { access } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { runMain, Trouble } from "../local/trouble.ts"

const packages = fileURLToPath(new URL("../test/ci/node_modules", import.meta.url))

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
