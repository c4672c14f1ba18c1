// `npm run dev`: the Worker under `wrangler dev`, in the same environment as the other local servers: `local` unless ENVIRONMENT is set, in
// the process or in .dev.vars, the source of the Worker's secrets.

import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseEnv } from "node:util"
import { buildAssets } from "./assets.ts"
import { checkOwnKeys, environmentOf, LOCAL } from "./environment.ts"
import { makeShellLibrary } from "./shell-library.ts"
import { runMain, Trouble } from "./trouble.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const SECRETS = ".dev.vars"

await runMain(async () => {
  const environment = environmentHere(process.env, await readFile(path.join(root, SECRETS), "utf8").catch(() => ""))
  // wrangler bundles the Worker itself, and needs the shell's library with its meter in it, and the files for browsers.
  await Promise.all([makeShellLibrary(), buildAssets()])
  const wrangler = path.join(root, "node_modules/wrangler/bin/wrangler.js")
  const child = spawn(process.execPath, [wrangler, "dev", "--var", `ENVIRONMENT:${environment}`, ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
  })
  // Ctrl-C reaches both; this process ends with wrangler.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => process.exit(code ?? 1))
})

function environmentHere(env: Readonly<Record<string, string | undefined>>, file: string): string {
  const stored = parseEnv(file)
  const [here, there] = [env, stored].map((one) => (one["ENVIRONMENT"] || one["SLUICE_ENVIRONMENT"] ? environmentOf(one) : undefined))
  if (here !== undefined && there !== undefined && here !== there)
    throw new Trouble(`the environment is "${here}" for this process and "${there}" in ${SECRETS}: set only one`, 2)
  const environment = here ?? there ?? LOCAL
  checkOwnKeys(environment, stored)
  return environment
}
