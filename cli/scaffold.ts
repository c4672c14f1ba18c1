// The files of a new project that are not flows: how it is installed, served, deployed and edited. Pure.

/** Path → text. `name` is the folder's; `dependency`: how npm finds the package. */
export function scaffold(name: string, packageName: string, dependency: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(
      {
        name,
        private: true,
        type: "module",
        scripts: { dev: "sluice dev", validate: "sluice validate", test: "sluice test", deploy: "sluice deploy" },
        dependencies: { [packageName]: dependency },
      },
      null,
      2,
    )}\n`,
    "sluice.yaml": `# The project. \`npx sluice --help\` lists what can be done with it.\nname: ${name}\n`,
    "src/index.ts": workerEntry(packageName),
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
