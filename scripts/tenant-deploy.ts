// `npm run tenant:deploy -- NAME [--url https://…] [--jurisdiction eu|us] [--dispatch[=NAMESPACE]] [--secrets-file FILE] [--dry-run]`: a separate instance for one tenant [N2].
// `npm run tenant:deploy -- --dispatcher (--instances a,b | --dispatch[=NAMESPACE]) [--domain example.com] [--dry-run]`: the dispatcher in front of them.
//
// Builds, writes dist/tenants/NAME/wrangler.json and lets wrangler deploy it; instances/NAME.json records its location. `--dry-run` writes
// everything to dry-run.json, but deploys and records nothing.

import { spawn, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { build as bundle } from "esbuild"
import { buildModules } from "../local/build.ts"
import { runMain, Trouble } from "../local/trouble.ts"
import { defined } from "../src/core/defined.ts"
import { INSTANCE_NAME_SAYS, isInstanceName, workerOf } from "../src/core/instance-name.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import { dispatcherConfig, faultsOf, instanceConfig, type Own } from "./instance-config.ts"
import { keepPlace, placeOf, recordOf } from "./instance-record.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const NAMESPACE = "sluice"

/** A test gives modules that it has already built, and keeps wrangler's output off the terminal. */
export async function deploy(words: string[], build = buildModules, stdio: StdioOptions = "inherit"): Promise<void> {
  const { values, positionals } = asked(words)
  const isDry = values["dry-run"] === true
  const namespace = values.dispatch === undefined ? undefined : named(values.dispatch || NAMESPACE, "namespace")
  if (values.dispatcher === true) await deployDispatcher()
  else await deployInstance()

  async function deployInstance(): Promise<void> {
    const [name = "", ...more] = positionals
    if (name === "" || more.length > 0)
      throw new Trouble(
        "name the instance: npm run tenant:deploy -- NAME [--url https://…] [--jurisdiction eu|us] [--dispatch[=NAMESPACE]] [--dry-run]",
      )
    named(name, "instance")
    const { url } = values
    if (url !== undefined && !(URL.canParse(url) && new URL(url).protocol === "https:"))
      throw new Trouble(`--url is "${url}": give an https address`)
    const asked = values.jurisdiction
    if (asked !== undefined && asked !== "eu" && asked !== "us") throw new Trouble(`--jurisdiction is "${asked}": give eu or us`)
    const folder = path.join("dist/tenants", name)
    const before = placeOf(root, name)
    // In another jurisdiction it would get a different tenant list and a new bucket.
    if (before !== undefined && asked !== undefined && asked !== before)
      throw new Trouble(
        `the instance ${name} is in ${before === null ? "no jurisdiction" : `the jurisdiction ${before}`} according to ${recordOf(name)}, which cannot be changed: deploy it without --jurisdiction, or remove the file if it was never deployed`,
      )
    const jurisdiction = before === undefined ? asked : (before ?? undefined)
    const raw = await rawConfig()
    const faults = faultsOf(raw)
    if (faults.length > 0) throw new Trouble(faults.join("\n  "))
    await build(path.join(folder, "modules"))
    const own: Own = { ...defined({ url }), dispatched: namespace !== undefined, ...defined({ jurisdiction }) }
    const config = instanceConfig(raw, name, own)
    // Recorded before the deploy, since a deploy that fails halfway may already have created the bucket.
    if (!isDry) keepPlace(root, name, jurisdiction ?? null)
    await wrangler(folder, config, isDry, stdio, namespace, values["secrets-file"])
    console.log(`
${isDry ? "This would be" : "This is"} the instance ${name}: the Worker ${workerOf(name)}${namespace === undefined ? "" : ` in the namespace ${namespace}`}, with its own
  Durable Objects   ${names(config["migrations"])}
  KV namespace      ${workerOf(name)}-cache
  R2 bucket         ${workerOf(name)}-blobs
${jurisdiction === undefined ? "" : `  Jurisdiction      ${jurisdiction}: objects and bucket, permanently\n`}${isDry ? "Nothing was deployed. " : `Its location is recorded in ${recordOf(name)}: commit this file, so that a deploy from another machine goes to the same place. `}Its first deploy brings its secrets, a line VAULT_KEY=… and a line ADMIN_KEY=…, each 32 random bytes: --secrets-file FILE
Then the admin key makes its tenant: POST /v1/tenants, POST /v1/tenants/${name}/keys (docs/OPERATING.md).`)
  }

  async function deployDispatcher(): Promise<void> {
    const instances = (values.instances ?? "").split(",").filter((name) => name !== "")
    for (const name of instances) named(name, "instance")
    if (instances.length === 0 && namespace === undefined)
      throw new Trouble("name the instances: --instances acme,globex, or --dispatch[=NAMESPACE]")
    const { domain } = values
    if (domain !== undefined && !/^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/.test(domain))
      throw new Trouble(`--domain is "${domain}": give a host such as example.com`)
    const folder = "dist/dispatcher"
    await bundle({
      absWorkingDir: root,
      entryPoints: ["src/dispatch/index.ts"],
      outfile: path.join(folder, "index.mjs"),
      bundle: true,
      format: "esm",
      target: "es2024",
      minify: true,
      keepNames: true,
      logLevel: "silent",
    })
    await wrangler(folder, dispatcherConfig(await rawConfig(), { instances, ...defined({ domain, namespace }) }), isDry, stdio)
    if (isDry) console.log("Nothing was deployed.")
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(() => deploy(process.argv.slice(2)))

async function rawConfig() {
  // Loading wrangler takes longer than refusing a command line.
  const { experimental_readRawConfig: readRawConfig } = await import("wrangler")
  return { ...readRawConfig({ config: path.join(root, "wrangler.toml") }).rawConfig }
}

function asked(args: string[]) {
  try {
    // `--dispatch` without a value means the default namespace.
    const full = args.map((arg) => (arg === "--dispatch" ? "--dispatch=" : arg))
    return parseArgs({
      args: full,
      allowPositionals: true,
      options: {
        "dry-run": { type: "boolean" },
        dispatch: { type: "string" },
        dispatcher: { type: "boolean" },
        instances: { type: "string" },
        domain: { type: "string" },
        url: { type: "string" },
        jurisdiction: { type: "string" },
        "secrets-file": { type: "string" },
      },
    })
  } catch (error) {
    throw new Trouble(messageOf(error, "the arguments are invalid"))
  }
}

function named(name: string, what: string): string {
  if (!isInstanceName(name))
    throw new Trouble(`"${name}" is not a name for ${what === "instance" ? "an instance" : `a ${what}`}: ${INSTANCE_NAME_SAYS}`)
  return name
}

async function wrangler(
  folder: string,
  config: object,
  isDry: boolean,
  stdio: StdioOptions,
  namespace?: string,
  secrets?: string,
): Promise<void> {
  const file = path.join(folder, isDry ? "dry-run.json" : "wrangler.json")
  mkdirSync(path.join(root, folder), { recursive: true })
  writeFileSync(path.join(root, file), `${JSON.stringify(config, null, 2)}\n`)
  const args = ["deploy", "--config", file, "--no-bundle"]
  if (namespace !== undefined) args.push("--dispatch-namespace", namespace)
  if (secrets !== undefined) args.push("--secrets-file", path.resolve(secrets))
  if (isDry) args.push("--dry-run", "--outdir", path.join(folder, "deploy"))
  console.log(`${file}:\n${JSON.stringify(config, null, 2)}\n\n$ wrangler ${args.join(" ")}`)
  const [status] = (await once(spawn(path.join(root, "node_modules/.bin/wrangler"), args, { cwd: root, stdio }), "close")) as [
    number | null,
  ]
  if (status !== 0) throw new Trouble(`wrangler ended with ${status ?? "a signal"}`)
}

function names(migrations: unknown): string {
  const all = Array.isArray(migrations) ? migrations : []
  return all
    .flatMap((m: unknown) => (typeof m === "object" && m !== null && "new_sqlite_classes" in m ? m.new_sqlite_classes : []))
    .join(", ")
}
