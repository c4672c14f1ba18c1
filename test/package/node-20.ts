// The oldest Node that the package promises.

import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import path from "node:path"

/** The machine's Node 20, or else npm's. */
export async function node20(home: string): Promise<string> {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    const file = path.join(folder, "node")
    if (existsSync(file) && spawnSync(file, ["--version"], { encoding: "utf8" }).stdout.startsWith("v20.")) return file
  }
  const folder = path.join(home, "node20")
  await mkdir(folder)
  const done = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, "node@20"], { encoding: "utf8" })
  if (done.status !== 0) throw new Error(`there is no Node 20 here, and npm brings none: ${done.stderr}`)
  return path.join(folder, "node_modules/node/bin/node")
}
