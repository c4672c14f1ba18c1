// `npm run package`: the npm package, in dist/package and as a tarball beside it. Its name and version are those of package.json. After `npm ci`
// nothing has to come before it: what it needs of the compiler and of the console is installed, and what it is made of is built.
//
//   .          dist/index.js     the typed client, alone and minified: at most 6 KB (gzip), without dependencies
//   ./react    dist/react.js     hooks
//   ./worker   worker/worker.js  the Worker and its objects; ./tools shares its modules, so that a tool's failure is one class in both
//   ./testing  bin/testing.js    a server for tests; bin/sluice.js is the command line. Both run on Node 20
//
// docs has the guide, AGENTS.md and skills/sluice tell coding agents how a project's files are written.
//
// Types are the compiler's own declarations, and only those that an export reaches: their imports end in `.js`, which every compiler reads.

import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { spawnSync } from "node:child_process"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build, type BuildOptions } from "esbuild"
import { codingSkill } from "../cli/docs/coding-skill.ts"
import { buildWorker, workerSettings } from "../local/build.ts"
import { makeShellLibrary } from "../local/shell-library.ts"
import { installed } from "./ci-packages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const out = path.join(root, "dist/package")

interface Root {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}
const own = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as Root

/** Where each export is: its JavaScript, and the source whose declarations are its types. */
const EXPORTS = {
  ".": { js: "dist/index.js", types: "package/client.ts" },
  "./react": { js: "dist/react.js", types: "package/react.ts" },
  "./worker": { js: "worker/worker.js", types: "package/worker.d.ts" },
  "./tools": { js: "worker/tools.js", types: "package/tools.ts" },
  "./testing": { js: "bin/testing.js", types: "package/testing.ts" },
} as const

/** What a user's folder gets with the package: a local server, a bundler for the project's Worker,
 *  what the command line reaches servers behind proxies with (miniflare brings it), and zod, which the types name. */
const DEPENDENCIES = ["esbuild", "miniflare", "undici", "zod"] as const

/** Declarations of every project, as `npm run check` makes them. */
function compile(): void {
  const tsc = path.join(root, "test/ci/node_modules/.bin/tsc")
  const done = spawnSync(process.execPath, [tsc, "-b", "package"], { cwd: root, stdio: "inherit" })
  if (done.status !== 0) throw new Error("the types do not compile")
}

function browserFiles(): Promise<unknown> {
  const settings: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    keepNames: false,
    sourcemap: "linked",
    external: ["react"],
  }
  return Promise.all([
    build({ ...settings, entryPoints: ["package/client.ts"], outfile: path.join(out, "dist/index.js") }),
    build({ ...settings, entryPoints: ["package/react.ts"], outfile: path.join(out, "dist/react.js") }),
  ])
}

const workerFiles = (): Promise<unknown> =>
  build({
    ...workerSettings,
    minifyWhitespace: true,
    minifySyntax: true,
    entryPoints: { worker: "src/worker.ts", tools: "package/tools.ts" },
    outdir: path.join(out, "worker"),
    splitting: true,
    sourcemap: "linked",
    sourcesContent: false,
  })

/** CommonJS inside asks for `require`, which a module does not have. */
const REQUIRE = 'import { createRequire as sluiceRequire } from "node:module"; const require = sluiceRequire(import.meta.url);'

async function nodeFiles(): Promise<void> {
  await build({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    splitting: true,
    sourcemap: "linked",
    sourcesContent: false,
    minifySyntax: true,
    minifyWhitespace: true,
    external: ["esbuild", "miniflare", "undici", "wrangler", "cloudflare:*"],
    plugins: workerSettings.plugins,
    entryPoints: { sluice: "cli/sluice.ts", testing: "package/testing.ts" },
    outdir: path.join(out, "bin"),
    banner: { js: REQUIRE },
    logLevel: "silent",
  })
  const bin = path.join(out, "bin/sluice.js")
  await writeFile(bin, `#!/usr/bin/env node\n${(await readFile(bin, "utf8")).replace(/^#!.*\n/, "")}`)
  await chmod(bin, 0o755)
}

/** What `sluice dev` serves, at the same place as in this repository. */
async function localServer(): Promise<void> {
  // The runtime reads and copies every byte at its start.
  await buildWorker("src/index.ts", path.relative(root, path.join(out, "dist/worker.js")), "spare")
  await cp(path.join(root, "dist/assets"), path.join(out, "dist/assets"), { recursive: true })
}

async function plainFiles(): Promise<void> {
  await cp(path.join(root, "LICENSE"), path.join(out, "LICENSE"))
  await cp(path.join(root, "package/README.md"), path.join(out, "README.md"))
  await cp(path.join(root, "package/AGENTS.md"), path.join(out, "AGENTS.md"))
  await cp(path.join(root, "templates"), path.join(out, "templates"), { recursive: true })
  await cp(path.join(root, "docs/schemas"), path.join(out, "schemas"), { recursive: true })
  await cp(path.join(root, "deploy"), path.join(out, "deploy"), { recursive: true })
}

/** What is read by people and by coding agents. A link to a page that stays here is its words alone. */
async function manual(): Promise<void> {
  const guide = [...(await textsIn("docs/guide"))]
    .filter(([name]) => name.endsWith(".md"))
    .map(([name, text]) => [`docs/guide/${name}`, text] as const)
  const pages = new Map([...guide, ["docs/OPERATING.md", await readFile(path.join(root, "docs/OPERATING.md"), "utf8")]])
  const language = await textsIn("skills/flow-language")
  const schemas = [...(await textsIn("docs/schemas"))].map(([name, text]) => [name.replace(/\.json$/, ""), JSON.parse(text)] as const)
  for (const [name, text] of codingSkill(language, new Map(schemas))) pages.set(`skills/sluice/${name}`, text)
  for (const [name, text] of pages) {
    const within = text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, words: string, target: string) => {
      const place = path.posix.join(path.posix.dirname(name), target.replace(/#.*$/, ""))
      return /^(?:[a-z]+:|#)/.test(target) || pages.has(place) ? whole : words
    })
    await mkdir(path.join(out, path.dirname(name)), { recursive: true })
    await writeFile(path.join(out, name), within)
  }
}

async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(path.join(root, folder), { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)
  return new Map(
    await Promise.all(names.sort().map(async (name) => [name, await readFile(path.join(root, folder, name), "utf8")] as const)),
  )
}

/** Every declaration that an export's types reach, at the place of its source below `types`. */
async function declarations(): Promise<void> {
  const left: string[] = Object.values(EXPORTS).map(({ types }) => types.replace(/(?<!\.d)\.ts$/, ".d.ts"))
  const seen = new Set(left)
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    const text = await readFile(path.join(root, emittedAt(file)), "utf8").catch(() => readFile(path.join(root, file), "utf8"))
    const rewritten = text.replace(/((?:from|import)\s*\(?\s*")(\.[^"]+)(")/g, (_, before: string, name: string, after: string) => {
      const target = name.replace(/(\.d)?\.(ts|js)$/, "")
      const next = path.posix.join(path.posix.dirname(file), `${target}.d.ts`)
      if (!seen.has(next)) {
        seen.add(next)
        left.push(next)
      }
      return `${before}${target}.js${after}`
    })
    const place = path.join(out, "types", file)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, rewritten)
  }
}

/** Each project of the compiler has its own folder of declarations. */
const emittedAt = (file: string): string =>
  file.replace(
    /^(?:src\/(core|api|client)|(src|cli|local|package))\//,
    (_, inner?: string, outer?: string) => `.tsbuild/${inner ?? outer}/`,
  )

function manifest(): object {
  const version = (name: string): string => own.dependencies[name] ?? own.devDependencies[name] ?? "*"
  return {
    name: own.name,
    version: own.version,
    description: own.description,
    license: own.license,
    keywords: ["agents", "workflows", "cloudflare-workers", "durable-objects", "llm"],
    type: "module",
    bin: { [own.name]: "bin/sluice.js" },
    exports: {
      ...Object.fromEntries(
        Object.entries(EXPORTS).map(([name, { js, types }]) => [
          name,
          { types: `./types/${types.replace(/(?<!\.d)\.ts$/, ".d.ts")}`, default: `./${js}` },
        ]),
      ),
      "./schemas/*": "./schemas/*",
      "./package.json": "./package.json",
    },
    sideEffects: ["./bin/*", "./worker/*"],
    files: ["AGENTS.md", "bin", "deploy", "dist", "docs", "schemas", "skills", "templates", "types", "worker"],
    engines: { node: ">=20" },
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, version(name)])),
    peerDependencies: { react: ">=18" },
    peerDependenciesMeta: { react: { optional: true } },
    publishConfig: { access: "public", provenance: true },
  }
}

/** The tarball's path. */
function packed(): string {
  const done = spawnSync("npm", ["pack", "--json", "--pack-destination", path.dirname(out), out], { cwd: root, encoding: "utf8" })
  const name = /"filename":\s*"([^"]+)"/.exec(done.stdout)?.[1]
  if (done.status !== 0 || name === undefined) throw new Error(`npm pack: ${done.stderr}`)
  return path.join(path.dirname(out), name)
}

for (const folder of ["test/ci", "console"]) installed(path.join(root, folder))
await rm(out, { recursive: true, force: true })
await mkdir(out, { recursive: true })
compile()
// The Worker's bundles import it.
await makeShellLibrary()
await Promise.all([browserFiles(), workerFiles(), nodeFiles(), localServer(), declarations(), plainFiles(), manual()])
await writeFile(path.join(out, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`)
console.log(`${own.name}@${own.version} is in ${path.relative(process.cwd(), out)}: npm install ${packed()}`)
