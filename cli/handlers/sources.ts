// Tells what is wrong with the modules of a handler while it is bundled [F24], at the line of a file of the project.

import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import type { Message, Metafile, PartialMessage } from "esbuild"
import { defined } from "../../src/core/defined.ts"
import { hasErrors, sortDiagnostics, type Diagnostic } from "../../src/core/diagnostic.ts"
import { headerOf, sourceOf, withHeader, type BundleHeader } from "../../src/core/flow/code-bundle.ts"
import type { CodeLanguage } from "../../src/core/flow/code-file.ts"
import { placesOf } from "../../src/core/flow/parse/place.ts"
import { nearest } from "../../src/core/text/nearest.ts"
import { defaultFault, outsideOf, powersOf } from "../../src/engine/code/check-handler.ts"
import { readHandler } from "../../src/engine/code/handler-source.ts"
import { stripTypes } from "../../src/engine/code/strip-types.ts"
import { linesOf } from "./line-table.ts"

/** What is known of the modules of one handler while it is bundled. */
export class Sources {
  readonly #folder: string
  readonly #entry: string
  readonly #texts = new Map<string, string>()
  /** Absolute path → who asked for it first, as an absolute path. */
  readonly #importers = new Map<string, string>()
  readonly #found = new Map<string, Diagnostic[]>()
  readonly #manifests = new Set<string>()
  /** Package → the modules of Node that it asks for, and one of its files that does. */
  readonly #needed = new Map<string, { readonly from: string; readonly names: Set<string> }>()

  constructor(folder: string, entry: string, text: string) {
    this.#folder = folder
    this.#entry = entry
    this.#texts.set(entry, text)
  }

  get diagnostics(): Readonly<Record<string, readonly Diagnostic[]>> {
    return Object.fromEntries([...this.#found].map(([file, list]) => [file, sortDiagnostics(list)]))
  }
  get isFaulty(): boolean {
    return [...this.#found.values()].some(hasErrors)
  }
  /** With the files of packages that are in the bundle; more of them are looked at. */
  inputs(names: readonly string[] = []): readonly string[] {
    const own = [...this.#importers.keys()].flatMap((name) => this.own(name) ?? [])
    return [...new Set([this.#entry, ...own, ...names, ...this.#manifests])]
  }

  /** The path within the project; undefined: the module is of a package, or not of the project. */
  own(name: string): string | undefined {
    const file = this.#relative(name)
    return isInside(file) && !isPackaged(file) ? file : undefined
  }
  #relative(name: string): string {
    return path.relative(this.#folder, name).split(path.sep).join("/")
  }

  link(importer: string, name: string): void {
    if (!this.#importers.has(name)) this.#importers.set(name, importer)
  }

  /** What of a file of the project fails in an isolate. Text that only esbuild can read is judged in the bundle. */
  check(file: string, text: string): void {
    this.#texts.set(file, text)
    const source = readHandler(text.replace(/^\uFEFF/, ""), languageIn(file))
    if (!source.ok) return
    this.#add(file, powersOf(source.value))
    if (file === this.#entry) this.#add(file, defaultFault(source.value))
    for (const { node, what, module } of outsideOf(source.value))
      if (module === undefined)
        this.#add(file, [
          {
            code: "CV-IMPORT",
            ...placesOf(source.value.text)(node.start),
            severity: "error",
            message: `${what} of a name that is not in the file: what runs in an isolate is known before`,
            suggestion: 'name the module: import("./prices.ts"), or choose among imports',
          },
        ])
  }

  /** A relative name that leaves the project is a file of anybody, which would be sent to the server unseen. */
  outside(name: string, importer: string, found: string): PartialMessage | undefined {
    if (this.own(importer) === undefined || !/^[./]/.test(name) || isInside(this.#relative(found))) return undefined
    return { text: `"${name}" is outside the project`, detail: "move the file into the project, or make a package of it" }
  }

  async unresolved(name: string, importer: string, [first]: readonly Message[]): Promise<PartialMessage> {
    if (name.startsWith("cloudflare:")) return { text: `"${name}" is of the Worker, and an isolate has no bindings`, detail: ELSEWHERE }
    if (name.startsWith("node:") || NODES.has(name.split("/")[0] ?? ""))
      return {
        text: `"${name}" is part of Node, and a handler runs in an isolate without it`,
        detail: ELSEWHERE,
        notes: [{ text: name.replace(/^node:/, "") }],
      }
    if (/^[./]/.test(name)) {
      const at = path.resolve(path.dirname(importer), name)
      const beside = await readdir(path.dirname(at)).catch(() => [])
      const near = nearest(path.basename(name), beside)
      const meant = near === undefined ? undefined : `did you mean "${name.slice(0, name.length - path.basename(name).length)}${near}"?`
      return { text: `there is no file "${name}"`, detail: meant }
    }
    const wanted = packageIn(name)
    if (this.own(importer) === undefined) return { text: `there is no package "${wanted}" here`, detail: `npm install ${wanted}` }
    const there = await this.#installed()
    // Of one that is there, a part is wanted that it does not have.
    if (there.includes(wanted)) return { text: first?.text ?? `"${name}" cannot be found`, detail: first?.notes[0]?.text }
    const near = nearest(wanted, there)
    return {
      text: `there is no package "${wanted}" here`,
      detail: near === undefined ? `npm install ${wanted}` : `did you mean "${near}"? Otherwise: npm install ${wanted}`,
    }
  }

  /** What package.json names. */
  async #installed(): Promise<readonly string[]> {
    const read: unknown = JSON.parse(await readFile(path.join(this.#folder, "package.json"), "utf8").catch(() => "{}"))
    const { dependencies = {}, devDependencies = {} } = Manifest.parse(read)
    return [...Object.keys(dependencies), ...Object.keys(devDependencies)]
  }

  /** A fault that esbuild told, at the author's line. */
  failed({ text, detail, location, notes }: Message): void {
    const suggestion = typeof detail === "string" ? detail : undefined
    const at = location === null ? undefined : this.own(path.resolve(this.#folder, location.file))
    if (location !== null && at !== undefined)
      return this.#add(at, [
        {
          code: /^(?:Expected|Unexpected|Unterminated|The symbol|Cannot assign)/.test(text) ? "CV-PARSE" : "CV-IMPORT",
          line: location.line,
          column: columnIn(location.lineText, location.column),
          severity: "error",
          message: text.replace(
            /^No loader is configured for "([^"]+)" files.*$/s,
            'a handler cannot import "$1" files: code, JSON and text it can',
          ),
          ...defined({ suggestion }),
        },
      ])
    const within = location === null ? this.#entry : location.file
    const [node] = notes
    if (node !== undefined && text.includes("is part of Node")) {
      const known = this.#needed.get(packageOf(within))
      if (known === undefined)
        this.#needed.set(packageOf(within), { from: path.resolve(this.#folder, within), names: new Set([node.text]) })
      else known.names.add(node.text)
      return
    }
    this.#addBrought(path.resolve(this.#folder, within), {
      code: "CV-IMPORT",
      severity: "error",
      message: `${packageOf(within)} cannot run in an isolate: ${text}`,
      suggestion: "use another package",
    })
  }

  /** Packages that need Node are said once each, with what they need of it. */
  needed(): void {
    for (const [name, { from, names }] of this.#needed) {
      const [first = "", second, ...more] = [...names].sort()
      const what =
        second === undefined ? first : more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`
      this.#addBrought(from, {
        code: "CV-IMPORT",
        severity: "error",
        message: `the package ${name} needs ${what} of Node, and a handler runs in an isolate without it`,
        suggestion: "use another package, or do it in a tool of the flow",
      })
    }
  }

  /** The bundle's own checks, which see the packages too. */
  judge(code: string, names: readonly string[], mappings: string, { outputs }: Metafile): void {
    const lines = linesOf(mappings)
    const header = headerOf(code)
    for (const one of stripTypes(code, "js").diagnostics) {
      const own = header === undefined ? undefined : sourceOf(header, one.line)
      // Said already where the author wrote it.
      if (own !== undefined && one.code !== "CV-LIMIT") continue
      const [source] = lines[one.line - 2] ?? []
      const name = source === undefined ? undefined : names[source]
      if (one.code === "CV-LIMIT" || name === undefined) this.#add(this.#entry, [{ ...one, line: 1, suggestion: smaller(outputs) }])
      // Looking for eval is how packages find out where they are.
      else if (one.code !== "CV-DEFAULT" && !one.message.includes("creates code from text"))
        this.#addBrought(path.resolve(this.#folder, name), {
          code: one.code,
          // What a package has and does not use is not a fault.
          severity: "warning",
          message: `${packageOf(name)} may fail in an isolate: ${one.message.replace(/: a handler is one file.*$/, "")}`,
          suggestion: "try it in a test of the flow",
        })
    }
  }

  async headed(output: string, names: readonly string[], mappings: string): Promise<string> {
    const files = [...new Set([this.#entry, ...names.flatMap((name) => this.own(path.resolve(this.#folder, name)) ?? [])])]
    const packages = await this.#packages(names)
    const lines: (readonly [number, number, number])[] = []
    linesOf(mappings).forEach((from, i) => {
      const file = from === undefined ? -1 : files.indexOf(this.own(path.resolve(this.#folder, names[from[0]] ?? "")) ?? "")
      const here: readonly [number, number, number] = [i + 2, file, file < 0 ? 0 : (from?.[1] ?? 0)]
      const last = lines.at(-1)
      if (from === undefined && last !== undefined) return
      if (last !== undefined && last[1] === here[1] && (here[1] < 0 || last[2] + here[0] - last[0] === here[2])) return
      lines.push(here)
    })
    const header: BundleHeader = { files, packages, lines: lines.map(([a, b, c]) => [a, b, c]) }
    return withHeader(header, output)
  }

  /** `name@version`, as installed. */
  async #packages(names: readonly string[]): Promise<string[]> {
    const folders = new Set(names.flatMap((name) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(name)?.[1] ?? []))
    const all = [...folders].map(async (name) => {
      const manifest = path.resolve(this.#folder, name, "package.json")
      const { version = "?" } = Manifest.parse(JSON.parse(await readFile(manifest, "utf8").catch(() => "{}")))
      this.#manifests.add(this.#relative(manifest))
      return `${packageOf(name)}@${version}`
    })
    return [...new Set(await Promise.all(all))].sort()
  }

  /** Once for each package and fault: at the import of the project's file that brought it in. */
  #addBrought(name: string, said: Omit<Diagnostic, "line" | "column">): void {
    let [to, by] = [name, this.#importers.get(name)]
    for (let steps = 0; by !== undefined && this.own(by) === undefined && steps < 1_000; steps++) [to, by] = [by, this.#importers.get(by)]
    const file = by === undefined ? this.#entry : (this.own(by) ?? this.#entry)
    if ((this.#found.get(file) ?? []).some((one) => one.message === said.message)) return
    this.#add(file, [{ ...said, ...this.#importIn(file, packageOf(this.#relative(to))) }])
  }

  #importIn(file: string, name: string): { readonly line: number; readonly column?: number } {
    const source = readHandler((this.#texts.get(file) ?? "").replace(/^\uFEFF/, ""), languageIn(file))
    const at = source.ok ? outsideOf(source.value).find(({ module }) => module !== undefined && packageIn(module) === name) : undefined
    return source.ok && at !== undefined ? placesOf(source.value.text)(at.node.start) : { line: 1 }
  }

  #add(file: string, list: readonly Diagnostic[]): void {
    this.#found.set(file, [...(this.#found.get(file) ?? []), ...list])
  }
}

const ELSEWHERE = "do it in a tool of the flow, and pass the result as an input of the step"

/** Names what is most of the bundle. */
function smaller(outputs: Metafile["outputs"]): string {
  const sizes = new Map<string, number>()
  for (const [name, { bytesInOutput }] of Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs)))
    sizes.set(packageOf(name), (sizes.get(packageOf(name)) ?? 0) + bytesInOutput)
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 3)
  const most = largest.map(([name, bytes]) => `${name} is ${Math.ceil(bytes / 1024)} KiB`).join(", ")
  return `import less: a part of a package, or a smaller one (${most})`
}

const Manifest = z.object({
  version: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
})

const languageIn = (file: string): CodeLanguage => (/\.[cm]?tsx?$/.test(file) ? "ts" : "js")
const isInside = (file: string): boolean => file !== "" && !file.startsWith("../") && !path.isAbsolute(file)
const isPackaged = (file: string): boolean => /(?:^|\/)node_modules\//.test(file)
/** esbuild counts bytes. */
const columnIn = (line: string, bytes: number): number => Buffer.from(line).subarray(0, bytes).toString().length + 1

/** `lodash/fp` → `lodash`. */
const packageIn = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name
/** `node_modules/lodash/fp.js` → `lodash`. */
const packageOf = (file: string): string => (isPackaged(file) ? packageIn(file.replace(/^.*node_modules\//, "")) : file)

const NODES: ReadonlySet<string> = new Set(
  "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib".split(
    " ",
  ),
)
