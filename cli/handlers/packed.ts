// A project's files as they are sent [F24]: a handler that imports something is replaced by its bundle. Everything that judges, drafts or
// sends a project goes through here.

import { realpath } from "node:fs/promises"
import path from "node:path"
import type { Bundle } from "../../src/api/catalog.ts"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { hasErrors } from "../../src/core/diagnostic.ts"
import { headerOf, sourceOf } from "../../src/core/flow/code-bundle.ts"
import type { CodeLanguage } from "../../src/core/flow/code-file.ts"
import { bundleOf, text } from "../../local/definition-files.ts"
import { Trouble } from "../../local/trouble.ts"
import { rendered } from "../project/places.ts"
import type { Bundled } from "./bundle.ts"
import { hashOf, keepBundle, keptBundle } from "./bundle-cache.ts"

export interface PackedHandler {
  /** Of the handler, in the project. */
  readonly path: string
  readonly files: readonly string[]
  readonly packages: readonly string[]
  readonly bytes: number
  /** SHA-256 of the bundle, by which runs pin it. */
  readonly hash: string
}

export interface Packed {
  /** As it is sent; of a handler that cannot be bundled, one that does nothing. */
  readonly bundle: Bundle
  readonly handlers: readonly PackedHandler[]
  readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>>
  /** Path → text of every file of the project that a handler imports. */
  readonly imported: ReadonlyMap<string, string>
}

export async function packed(folder: string, bundle: Bundle): Promise<Packed> {
  const code = bundle["code"] ?? {}
  const importing = Object.entries(code).filter(([name, content]) => mayImport(content) && /\.[tj]s$/.test(name))
  if (importing.length === 0) return { bundle, handlers: [], diagnostics: {}, imported: new Map() }
  const root = await realpath(folder)
  const { readHandler } = await import("../../src/engine/code/handler-source.ts")
  const { outsideOf } = await import("../../src/engine/code/check-handler.ts")
  const importsSomething = ([name, content]: readonly [string, string]): boolean => {
    const source = readHandler(content.replace(/^\uFEFF/, ""), languageOf(name))
    return !source.ok || outsideOf(source.value).length > 0
  }
  const done = await Promise.all(
    importing
      .filter(importsSomething)
      .map(async ([name, content]) => [`code/${name}`, await bundled(root, `code/${name}`, content)] as const),
  )
  const all = new Map(done)
  const inputs = new Set(done.flatMap(([file, one]) => one.inputs.filter((name) => name !== file && !/(?:^|\/)node_modules\//.test(name))))
  const imported = await Promise.all([...inputs].map(async (name) => [name, await text(path.join(root, name))] as const))
  const isPart = (name: string): boolean => inputs.has(`code/${name}`) && !/\bexport\s+default\b|\bas\s+default\b/.test(code[name] ?? "")
  const sent = Object.entries(code).flatMap(([name, content]): [string, string][] => {
    if (isPart(name)) return []
    const one = all.get(`code/${name}`)
    return [[name, one === undefined ? content : (one.code ?? NOTHING)]]
  })
  const diagnostics: Record<string, readonly Diagnostic[]> = {}
  for (const [file, one] of done)
    for (const [name, list] of Object.entries(one.diagnostics)) {
      // A module of several handlers is said once; one that is itself a handler without an export is no handler.
      if (name === file && isPart(file.slice("code/".length))) continue
      const known = new Set((diagnostics[name] ?? []).map((d) => JSON.stringify(d)))
      diagnostics[name] = [...(diagnostics[name] ?? []), ...list.filter((d) => !known.has(JSON.stringify(d)))]
    }
  const handlers = done.flatMap(([file, { code: made }]) => {
    const header = made === undefined || isPart(file.slice("code/".length)) ? undefined : headerOf(made)
    return header === undefined || made === undefined
      ? []
      : [{ path: file, files: header.files, packages: header.packages, bytes: Buffer.byteLength(made), hash: hashOf(made) }]
  })
  return { bundle: { ...bundle, code: Object.fromEntries(sent) }, handlers, diagnostics, imported: new Map(imported) }
}

async function bundled(root: string, file: string, content: string): Promise<Bundled> {
  const kept = await keptBundle(root, file, content)
  if (kept !== undefined) return kept
  const { bundleHandler } = await import("./bundle.ts")
  const made = await bundleHandler(root, file, content)
  await keepBundle(root, file, content, made)
  return made
}

/** For those who send a folder and judge nothing: the server does. */
export async function sendable(folder: string, given?: Bundle): Promise<Bundle> {
  const { bundle, diagnostics } = await packed(folder, given ?? (await bundleOf(folder)))
  if (Object.values(diagnostics).some(hasErrors)) throw new Trouble(rendered("pretty", diagnostics, () => undefined).join("\n"), 3)
  return bundle
}

/** What a server says of a bundle, at the author's line. Its checks of the code were made here, where the files are. */
export function atSources<C extends string>(
  found: Readonly<Record<string, readonly Diagnostic<C>[]>>,
  { bundle, handlers }: Pick<Packed, "bundle" | "handlers">,
): Readonly<Record<string, readonly Diagnostic<C>[]>> {
  const headers = new Map(handlers.map((one) => [one.path, headerOf(bundle["code"]?.[one.path.slice("code/".length)] ?? "")]))
  return Object.fromEntries(
    Object.entries(found).flatMap(([file, list]) => {
      const header = headers.get(file)
      if (header === undefined) return [[file, list]]
      const left = list.flatMap((one) => {
        if (one.code.startsWith("CV-")) return []
        const at = sourceOf(header, one.line)
        return [{ ...one, line: at?.file === file ? at.line : 1 }]
      })
      return left.length === 0 ? [] : [[file, left]]
    }),
  )
}

const languageOf = (name: string): CodeLanguage => (name.endsWith(".ts") ? "ts" : "js")
/** Cheap: most handlers are one file. */
const mayImport = (content: string): boolean => /\b(?:import|require)\b|\bfrom\s*["']/.test(content)
/** Stands for a handler that cannot be bundled, which was said. */
const NOTHING = "export default function () {\n  return {}\n}\n"
