// The files of a new project that are not flows: how it is installed, served, deployed and edited. Pure.

import { defined } from "../src/core/defined.ts"

/** Path → text. `name` is the folder's; `dependency`: how npm finds the package. */
export function scaffold(name: string, packageName: string, dependency: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(
      {
        name,
        private: true,
        type: "module",
        scripts: SCRIPTS,
        dependencies: { [packageName]: dependency },
      },
      null,
      2,
    )}\n`,
    "sluice.yaml": `# The project. \`npx sluice --help\` lists what can be done with it.\nname: ${name}\n`,
    "src/index.ts": workerEntry(packageName),
    "tsconfig.json": `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    "wrangler.toml": wrangler(name, packageName),
    "AGENTS.md": `# Agents

This folder is a Sluice project. Before you write or change a file in it, read \`node_modules/${packageName}/AGENTS.md\`. After each change run
\`npx sluice validate\`, then \`npx sluice test\`. \`npx sluice docs WORD\` prints a page of the manual.
`,
    ".gitignore": "node_modules/\n.sluice/\n.wrangler/\n.dev.vars\n",
    ".dev.vars.example": "# Secrets of the deployed Worker; `npx sluice deploy` makes them.\nADMIN_KEY=\nVAULT_KEY=\n",
  }
}

/** The Worker of a project that adds nothing to it. */
export const workerEntry = (packageName: string): string => `import { createWorker } from "${packageName}/worker"
export { Couriers, DirectoryObject, MemoryObject, RunObject, TenantObject } from "${packageName}/worker"
export default createWorker({ tools: [] })
`

const SCRIPTS = {
  dev: "sluice dev",
  validate: "sluice validate",
  types: "sluice types",
  test: "sluice test",
  plan: "sluice plan",
  apply: "sluice apply",
  deploy: "sluice deploy",
}

/** For editors, and for the check of handlers: they run in isolates, without Node and without a page. */
export const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    lib: ["es2023", "webworker"],
    module: "preserve",
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    isolatedModules: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
  },
  include: ["sluice.d.ts", "code", "lib", "src", "tools", "tests"],
}

export interface Completed {
  readonly text: string
  /** What was added, for a sentence. */
  readonly added: readonly string[]
  /** What its owner has to decide. */
  readonly note?: string
}

/** A package.json that others made: what a project needs is added, and nothing of theirs changes. undefined: it is no object. */
export function completedManifest(text: string): Completed | undefined {
  const read: unknown = jsonIn(text)
  if (typeof read !== "object" || read === null || Array.isArray(read)) return undefined
  const manifest = read as Readonly<Record<string, unknown>>
  const scripts = isRecord(manifest["scripts"]) ? manifest["scripts"] : {}
  // What `npm init` puts there only says that there is none.
  const isFree = (name: string): boolean => scripts[name] === undefined || /no test specified/.test(JSON.stringify(scripts[name]))
  const missing = Object.entries(SCRIPTS).filter(([name]) => isFree(name))
  const isTyped = manifest["type"] !== undefined
  const added = [
    ...(missing.length === 0 ? [] : [`scripts ${missing.map(([name]) => name).join(", ")}`]),
    ...(isTyped ? [] : ["type: module"]),
  ]
  const whole = { ...manifest, ...(isTyped ? {} : { type: "module" }), scripts: { ...scripts, ...Object.fromEntries(missing) } }
  const note =
    manifest["type"] === "commonjs"
      ? 'package.json has "type": "commonjs": for scripts and tests that import the package, make it "module"'
      : undefined
  return { text: added.length === 0 ? text : `${JSON.stringify(whole, null, 2)}\n`, added, ...defined({ note }) }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wrangler = (
  name: string,
  packageName: string,
): string => `# \`npx sluice deploy\` deploys the Worker of src/index.ts with these bindings.
name = "${name}"
main = "src/index.ts"
compatibility_date = "2026-07-30"
compatibility_flags = ["nodejs_compat", "durable_object_io_tasks_prevent_eviction"]

[observability]
enabled = true

[vars]
ENVIRONMENT = "production"

[assets]
directory = "node_modules/${packageName}/dist/assets"
binding = "ASSETS"
run_worker_first = true
html_handling = "none"

${[
  ["RUN", "RunObject"],
  ["TENANT", "TenantObject"],
  ["MEMORY", "MemoryObject"],
  ["DIRECTORY", "DirectoryObject"],
]
  .map(([binding, object]) => `[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${object}"\n`)
  .join("\n")}
[[migrations]]
tag = "v1"
new_sqlite_classes = ["RunObject", "TenantObject"]

[[migrations]]
tag = "v2"
new_sqlite_classes = ["MemoryObject"]

[[migrations]]
tag = "v3"
new_sqlite_classes = ["DirectoryObject"]

[[kv_namespaces]]
binding = "CACHE"

[[r2_buckets]]
binding = "BLOBS"

# Runs the handlers of code steps. It is part of the paid plan: on the free one leave these two lines out.
[[worker_loaders]]
binding = "LOADER"
`
