// Bundles one handler with what it imports [F24]: files of the project, and npm packages. What an isolate cannot run is a diagnostic at the
// author's line: of the project's own files, or of the import that brought in a package.

import { readFile } from "node:fs/promises"
import path from "node:path"
import type { Loader, Message } from "esbuild"
import { defined } from "../../src/core/defined.ts"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { Sources } from "./sources.ts"

export interface Bundled {
  /** With its header; undefined: a diagnostic is an error. */
  readonly code?: string
  /** Path in the project → what is wrong there. */
  readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>>
  /** Every file that the bundle was made from, and the package.json of each package. */
  readonly inputs: readonly string[]
}

/** `file`: in the project, such as `code/sort/score.ts`. */
export async function bundleHandler(folder: string, file: string, text: string): Promise<Bundled> {
  const { build } = await import("esbuild")
  const sources = new Sources(folder, file, text)
  const built = await build({
    absWorkingDir: folder,
    entryPoints: [file],
    bundle: true,
    write: false,
    outfile: "handler.js",
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["worker", "module"],
    mainFields: ["module", "browser", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
    charset: "utf8",
    legalComments: "none",
    minifySyntax: true,
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    plugins: [
      {
        name: "sluice",
        setup(esbuild) {
          esbuild.onResolve({ filter: /./ }, async ({ path: name, importer, resolveDir, kind, pluginData }) => {
            if (pluginData === WITHIN || kind === "entry-point") return undefined
            const found = await esbuild.resolve(name, { importer, resolveDir, kind, pluginData: WITHIN })
            if (found.errors.length > 0) return { errors: [await sources.unresolved(name, importer, found.errors)] }
            if (found.namespace === "file") {
              const outside = sources.outside(name, importer, found.path)
              if (outside !== undefined) return { errors: [outside] }
              sources.link(importer, found.path)
            }
            return { path: found.path, namespace: found.namespace, sideEffects: found.sideEffects, ...defined({ suffix: found.suffix }) }
          })
          esbuild.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async ({ path: name }) => {
            const own = sources.own(name)
            if (own === undefined) return undefined
            const contents = own === file ? text : await readFile(name, "utf8")
            sources.check(own, contents)
            return { contents, loader: loaderOf(name) }
          })
        },
      },
    ],
  }).catch((error: unknown) => {
    if (error instanceof Error && "errors" in error && Array.isArray(error.errors)) return { errors: error.errors as Message[] }
    throw error
  })
  if (!("metafile" in built)) {
    for (const message of built.errors) sources.failed(message)
    sources.needed()
    return { diagnostics: sources.diagnostics, inputs: sources.inputs() }
  }
  const [map, output] = ["handler.js.map", "handler.js"].map(
    (name) => built.outputFiles?.find((one) => path.basename(one.path) === name)?.text ?? "",
  )
  const { sources: names, mappings } = JSON.parse(map ?? "") as { readonly sources: readonly string[]; readonly mappings: string }
  const code = await sources.headed(output ?? "", names, mappings)
  sources.judge(code, names, mappings, built.metafile)
  return { diagnostics: sources.diagnostics, inputs: sources.inputs(names), ...(sources.isFaulty ? {} : { code }) }
}

const WITHIN = Symbol("a name that this plugin asks for itself")
const loaderOf = (name: string): Loader =>
  /\.[cm]?tsx?$/.test(name) ? (name.endsWith("x") ? "tsx" : "ts") : name.endsWith("x") ? "jsx" : "js"
