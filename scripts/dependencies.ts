// The script is not named `dependencies`, because npm runs a script of that name after every install.
//
// Writes docs/DEPENDENCIES.md: how many packages each lockfile has, and those that the Worker names. `npm run dependencies:page` prints every package
// of every lockfile with its version, license and size; with words, those that contain them. `--check` fails if the page is stale.
//
// Versions and licenses come from the lockfiles, so the page is the same everywhere; a size is that of the installed files.

import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isObject } from "../src/core/json.ts"
import { publish } from "./pages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const PAGE = "docs/DEPENDENCIES.md"

export interface Package {
  /** Folder below node_modules, such as `zod` or `a/node_modules/b`. */
  readonly place: string
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dev: boolean
  readonly optional: boolean
}

/** Licenses that allow what this project does with a package. */
const ALLOWED: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
  "Zlib",
])

/** Licenses with duties, and why they bring none here. The pattern is of a package's name. */
const EXCEPTIONS: readonly (readonly [RegExp, string, string])[] = [
  [/^@img\/sharp/, "LGPL-3.0-or-later", "libvips, for Miniflare's image emulation: a separate library of the local server, never deployed"],
  [/^lightningcss/, "MPL-2.0", "part of the test runner, unmodified, never deployed"],
  [
    /^@modelcontextprotocol\/server-everything$/,
    "SEE LICENSE IN LICENSE",
    "a server that tests call over a pipe, unmodified, never deployed",
  ],
  [/^axe-core$/, "MPL-2.0", "checks the console's pages in tests, unmodified, never deployed"],
  [/^@restatedev\/restate-server/, "BSL", "a peer that benchmarks run for comparison, unmodified, never deployed"],
  [/^node-(linux-x64|bin-darwin-arm64)$/, "none stated", "Node.js itself, under the MIT license; its package.json names none"],
  [
    /^(compute-(gcd|lcm)|reserved|validate\.io-(function|integer|integer-array|number))$/,
    "none stated",
    "under the MIT license, which they state where npm does not read it",
  ],
]

const isAllowed = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((part) => ALLOWED.has(part)))

/** Packages whose license is not allowed and has no reason given. */
export const unexplained = (packages: readonly Package[]): string[] =>
  packages
    .filter(({ name, license }) => !isAllowed(license) && !EXCEPTIONS.some(([of, part]) => of.test(name) && license.includes(part)))
    .map(({ name, version, license }) => `${name} ${version}: ${license}`)

/** The packages of a package.json. `folder`: its folder, "" for the project's own. */
export function packagesOf(folder: string): Package[] {
  const lock: unknown = JSON.parse(readFileSync(path.join(root, folder, "package-lock.json"), "utf8"))
  const packages = isObject(lock) && isObject(lock["packages"]) ? lock["packages"] : {}
  return Object.entries(packages).flatMap(([key, entry]): Package[] => {
    if (key === "" || !isObject(entry)) return []
    const place = key.replace(/^node_modules\//, "")
    const name = typeof entry["name"] === "string" ? entry["name"] : place.replace(/^.*node_modules\//, "")
    return [
      {
        place,
        name,
        version: String(entry["version"]),
        license: typeof entry["license"] === "string" ? entry["license"] : UNKNOWN,
        dev: entry["dev"] === true,
        optional: entry["optional"] === true || entry["devOptional"] === true,
      },
    ]
  })
}

const UNKNOWN = "none stated"

/** Bytes of a package's own files; undefined when it is not installed. */
function sizeOf(folder: string): number | undefined {
  if (!existsSync(folder)) return undefined
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue
    const at = path.join(folder, entry.name)
    bytes += entry.isDirectory() ? (sizeOf(at) ?? 0) : lstatSync(at).size
  }
  return bytes
}

const shown = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024)).toLocaleString("en-US")} KiB`

const PARTS = [
  {
    folder: "",
    title: "Deployed",
    about: "Dependencies of the Worker; the bundle contains only the parts that it uses.",
    has: (one: Package) => !one.dev && !one.optional,
  },
  {
    folder: "",
    title: "For a platform",
    about: "Installed on matching platforms: a newer Node, binaries of the tools below.",
    has: (one: Package) => one.optional,
  },
  {
    folder: "",
    title: "For development and tests",
    about: "The local server, the bundler, the test runner, and packages that tests compare with.",
    has: (one: Package) => one.dev && !one.optional,
  },
  {
    folder: "test/ci",
    title: "For CI and contributors",
    about: "Formatter, linters, compiler, Prism: a package.json of their own, `npm ci --prefix test/ci`.",
    has: () => true,
  },
  {
    folder: "console",
    title: "For the console",
    about: "For building and testing its pages; `console/built` holds the deployed part. `npm ci --prefix console`.",
    has: () => true,
  },
  {
    folder: "test/protocols",
    title: "For tests of the protocols",
    about: "The official clients that drive a flow through every protocol, `npm ci --prefix test/protocols`.",
    has: () => true,
  },
  {
    folder: "test/package",
    title: "For checks of the package",
    about: "The tools with which `npm run package:check` checks the packed package.",
    has: () => true,
  },
  {
    folder: "test/runtimes",
    title: "For checks of the package on other runtimes",
    about: "The runtimes on which `npm run package:runtimes` runs the client, in addition to installed ones.",
    has: () => true,
  },
  ...["dbos", "langgraph", "mastra", "restate"].map((name) => ({
    folder: `bench/peers/${name}`,
    title: `For benchmarks beside ${name}`,
    about: "Installed only for that benchmark.",
    has: () => true,
  })),
] as const

/** Every folder with a lockfile. */
export const FOLDERS: readonly string[] = [...new Set(PARTS.map(({ folder }) => folder))]

export function renderPage(): string {
  const direct = new Set(Object.keys(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).dependencies))
  const rows = packagesOf("")
    .filter(({ place }) => direct.has(place))
    .map(({ place, version, license }) => `| \`${place}\` | ${version} | ${license} |`)
  const parts = PARTS.map(({ folder, title, about, has }) => `- **${title}**: ${packagesOf(folder).filter(has).length} packages. ${about}`)
  const reasons = EXCEPTIONS.map(([of, license, why]) => `- ${license}, \`${of.source.replaceAll(/[\^$\\]/g, "")}\`: ${why}.`)
  return `# Dependencies

\`npm run dependencies:page\` prints every package of every lockfile with its version, license and size; \`npm run dependencies:page -- zod\` those
whose line contains \`zod\`. \`npm run sbom\` writes the same as CycloneDX. A test asserts that every license is allowed or has a reason. The command also
writes this page, from the lockfiles: do not edit it.

## What the Worker names

| package | version | license |
|---|---|---|
${rows.join("\n")}

## The lockfiles

${parts.join("\n")}

## Licenses

Allowed: ${[...ALLOWED].join(", ")}. With duties, and why they bring none here:

${reasons.join("\n")}
`
}

/** Every package as a line: its lockfile, name, version, license, and size if it is installed. */
export const list = (): string[] =>
  PARTS.flatMap(({ folder, title, has }) =>
    packagesOf(folder)
      .filter(has)
      .map(({ place, name, version, license }) => {
        const size = sizeOf(path.join(root, folder, "node_modules", place))
        const alias = place.replace(/^.*node_modules\//, "") === name ? "" : ` (${name})`
        return `${title}: ${place} ${version}${alias}, ${license}, ${size === undefined ? "not installed" : shown(size)}`
      }),
  )

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = publish("npm run dependencies:page", new Map([[PAGE, renderPage()]]), list())
