// The files of deploy/ without Docker, which is not on every machine that tests: each RUN of the Dockerfile is executed in an empty folder that stands
// for the image, then CMD and HEALTHCHECK, as the user of the image if this one may become another. What compose.yaml names exists; systemd and Caddy judge
// their files where they are installed.

import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { z } from "zod"
import { KEYS, served } from "./served.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const DEPLOY = path.join(root, "deploy")

type CheckIt = (name: string, fault: string | undefined) => void

interface Line {
  readonly word: string
  readonly rest: string
}

const Compose = z.looseObject({
  services: z.looseObject({
    sluice: z.looseObject({ secrets: z.array(z.string()), environment: z.record(z.string(), z.string()), volumes: z.array(z.string()) }),
  }),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.unknown()),
})

export async function executeImage(home: string, check: CheckIt): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o755 })
  // Its user passes through.
  await chmod(path.dirname(home), 0o755)
  const lines = (await readFile(path.join(DEPLOY, "Dockerfile"), "utf8"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line): Line => ({ word: line.split(" ")[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }))
  const isRoot = process.getuid?.() === 0
  /** Its root is the empty folder. */
  const here = (text: string): string => text.replaceAll(/(?<![\w.:/])\/(app|data)\b/g, `${home}/$1`)
  const inside = (text: string): string => (isRoot ? here(text) : here(text).replaceAll(/ -[og] \d+/g, ""))
  const { user, env } = settingsOf(lines)
  // As `docker build` has it from its daemon: the way to the registry.
  const way = Object.entries(process.env).filter(([name]) => /^(npm_config_.*|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name))
  const build = { ...env, ...Object.fromEntries(way), PATH: process.env["PATH"], HOME: process.env["HOME"] }
  let folder = home
  for (const { word, rest } of lines) {
    if (word === "WORKDIR") await mkdir((folder = here(rest)), { recursive: true })
    if (word === "COPY") {
      check(`COPY ${rest} is the package`, rest === "sluice.tgz ./" ? undefined : rest)
      await copyFile(await tarball(home), path.join(folder, "sluice.tgz"))
    }
    if (word !== "RUN") continue
    const done = spawnSync("sh", ["-euc", inside(rest)], { cwd: folder, env: build, encoding: "utf8" })
    check(`RUN ${rest}`, done.status === 0 ? undefined : done.stdout + done.stderr)
  }
  const command = z
    .array(z.string())
    .parse(JSON.parse(textOf(lines, "CMD")))
    .map(here)
  const health = z.array(z.string()).parse(JSON.parse(/CMD (\[.*\])/.exec(textOf(lines, "HEALTHCHECK"))?.[1] ?? "[]"))
  const port = String(20_000 + (process.pid % 10_000))
  const run = { ...env, HOST: "127.0.0.1", PORT: port, PATH: process.env["PATH"] }
  const bare = spawnSync(command[0] ?? "", command.slice(1), { cwd: folder, env: run, encoding: "utf8" })
  check(
    "CMD without keys ends with 2 and one sentence",
    bare.status === 2 && bare.stderr.includes("openssl rand -base64 32") ? undefined : `${String(bare.status)}: ${bare.stderr}`,
  )
  const keys = path.join(home, "keys")
  await mkdir(keys)
  for (const [name, key] of Object.entries(KEYS)) await writeFile(path.join(keys, name.toLowerCase()), `${key}\n`)
  const server = await served(
    command,
    { ...run, VAULT_KEY_FILE: path.join(keys, "vault_key"), ADMIN_KEY_FILE: path.join(keys, "admin_key") },
    folder,
    isRoot ? user : undefined,
  )
  const healthy = spawnSync(health[0] ?? "", health.slice(1), { env: run, encoding: "utf8" })
  check("CMD serves, and HEALTHCHECK says so", healthy.status === 0 ? undefined : healthy.stderr)
  const attacked = await fetch(`${server.url}/v1/runs`, { headers: { authorization: "Bearer sl_local_dev" } })
  check("[N5] a key of development is 401 there", attacked.status === 401 ? undefined : String(attacked.status))
  check("SIGTERM ends it with 0", (await server.stop()) === 0 ? undefined : "another code")
  const sick = spawnSync(health[0] ?? "", health.slice(1), { env: run, encoding: "utf8" })
  check("HEALTHCHECK fails without it", sick.status === 1 ? undefined : String(sick.status))
  await checkOthers(check)
}

function settingsOf(lines: readonly Line[]): { readonly user: number; readonly env: Readonly<Record<string, string>> } {
  const pairs = lines
    .filter(({ word }) => word === "ENV")
    .flatMap(({ rest }) => rest.split(" ").map((pair) => pair.split("=") as [string, string]))
  return { user: Number(textOf(lines, "USER").split(":")[0]), env: Object.fromEntries(pairs) }
}

const textOf = (lines: readonly Line[], wanted: string): string => lines.find(({ word }) => word === wanted)?.rest ?? ""

/** Of dist/package, as npm packs it; made if it is not there. */
async function tarball(home: string): Promise<string> {
  const made = path.join(root, "dist/package")
  if (!existsSync(path.join(made, "package.json"))) {
    const done = spawnSync(process.execPath, [path.join(root, "scripts/package.ts")], { cwd: root, encoding: "utf8" })
    if (done.status !== 0) throw new Error(`the package is not made: ${done.stderr}`)
  }
  const done = spawnSync("npm", ["pack", "--silent", "--pack-destination", home, made], { encoding: "utf8" })
  const name = (await readdir(home)).find((file) => file.endsWith(".tgz"))
  if (name === undefined) throw new Error(`npm pack: ${done.stderr}`)
  return path.join(home, name)
}

async function checkOthers(check: CheckIt): Promise<void> {
  const compose = Compose.parse(parse(await readFile(path.join(DEPLOY, "compose.yaml"), "utf8")))
  const { secrets, environment, volumes } = compose.services.sluice
  const known = new Set(secrets.map((name) => `/run/secrets/${name}`))
  const files = Object.entries(environment).filter(([name]) => name.endsWith("_FILE"))
  check(
    "compose.yaml: each file of a key is a secret of the service",
    files.length === 2 && files.every(([, file]) => known.has(file)) ? undefined : JSON.stringify(environment),
  )
  check(
    "compose.yaml: its secrets and volumes are declared",
    [...secrets.map((name) => name in compose.secrets), ...volumes.map((one) => (one.split(":")[0] ?? "") in compose.volumes)].every(
      Boolean,
    )
      ? undefined
      : JSON.stringify(compose),
  )
  judged("systemd-analyze", ["verify", path.join(DEPLOY, "sluice.service")], check)
  judged("caddy", ["validate", "--adapter", "caddyfile", "--config", path.join(DEPLOY, "Caddyfile")], check)
  judged("docker", ["compose", "-f", path.join(DEPLOY, "compose.yaml"), "config", "--quiet"], check)
}

/** By a program that is perhaps not here. */
function judged(program: string, words: readonly string[], check: CheckIt): void {
  const done = spawnSync(program, words, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", SLUICE_DOMAIN: "sluice.example.com" },
  })
  if (done.error) return console.log(`not judged, because ${program} is not installed: ${words.at(-1)}`)
  if (/not a docker command|unknown shorthand/.test(done.stderr)) return console.log("not judged, because docker has no compose here")
  check(
    `${program} ${words[0]} finds nothing`,
    done.status === 0 && !/warning|unknown/i.test(done.stderr) ? undefined : done.stdout + done.stderr,
  )
}
