// Checks the types of a project's handlers [F24c], with the compiler that the project has: each file by itself, and against its step.

import { execFile } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import type { Bundle } from "../../src/api/catalog.ts"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { codePlace } from "../../src/core/flow/code-file.ts"
import { PACKAGE } from "../package-name.ts"
import { exists } from "../project/project.ts"
import { TSCONFIG } from "../scaffold.ts"
import { knownTools } from "./known-tools.ts"
import { TYPES_FILE, typesOf } from "./typed-project.ts"

const PLACE = "node_modules/.cache/sluice/types"
/** The project, from there. */
const UP = "../../../.."
const MOST_BYTES = 16 * 1_048_576
const MOST_MS = 60_000

type Found = Readonly<Record<string, readonly Diagnostic[]>>
/** What was found for the same texts before: a save of an agent compiles nothing. */
const known = new Map<string, Found>()

/** Why handlers are not checked; undefined: they are, or there are none. */
export function whyUnchecked(folder: string, bundle: Bundle): string | undefined {
  if (handlersIn(bundle).length === 0 || compilerOf(folder) !== undefined) return undefined
  return "handlers are not type-checked: npm install --save-dev typescript"
}

export async function typeFaults(folder: string, bundle: Bundle, tools: readonly string[], imported: Iterable<string>): Promise<Found> {
  const handlers = handlersIn(bundle)
  const compiler = compilerOf(folder)
  if (handlers.length === 0 || compiler === undefined) return {}
  const types = typesOf(bundle, { tools, known: await knownTools(folder), root: UP })
  const print = [types, ...handlers.map(([, text]) => text), ...imported].join("\n")
  const before = known.get(folder + print)
  if (before !== undefined) return before
  const at = path.join(folder, PLACE)
  await mkdir(at, { recursive: true })
  // Those of steps that the project declares: a flow may be elsewhere.
  const checks = handlers.flatMap(([name]) => checkOf(name)).filter(({ id }) => types.includes(`readonly ${JSON.stringify(id)}: `))
  const isConfigured = await exists(path.join(folder, "tsconfig.json"))
  const config = {
    ...(isConfigured ? { extends: path.join(folder, "tsconfig.json") } : {}),
    compilerOptions: {
      ...(isConfigured ? {} : TSCONFIG.compilerOptions),
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      composite: false,
      incremental: false,
    },
    files: [TYPES_FILE, "handlers.ts", ...handlers.map(([name]) => path.join(folder, "code", name))],
    include: [],
  }
  await writeFile(path.join(at, TYPES_FILE), types)
  await writeFile(path.join(at, "handlers.ts"), [`import type { Handler } from "${PACKAGE}"`, ...checks.map(({ line }) => line)].join("\n"))
  await writeFile(path.join(at, "tsconfig.json"), JSON.stringify(config))
  const out = await new Promise<string>((resolve) => {
    const options = { cwd: folder, maxBuffer: MOST_BYTES, timeout: MOST_MS }
    execFile(process.execPath, [compiler, "-p", at, "--pretty", "false"], options, (_, told) => resolve(told))
  })
  const found: Record<string, Diagnostic[]> = {}
  for (const [, file = "", line = "1", column = "1", code = "", said = ""] of out.matchAll(
    /^(.+?)\((\d+),(\d+)\): error TS(\d+): (.*)$/gm,
  )) {
    const name = path.relative(folder, path.resolve(folder, file)).split(path.sep).join("/")
    const own = name.endsWith(`${PLACE}/handlers.ts`) ? checks[Number(line) - 2] : undefined
    if (own === undefined && (name.startsWith("..") || name.includes("node_modules/"))) continue
    const place = own === undefined ? { line: Number(line), column: Number(column) } : { line: 1 }
    const isUntyped = code === "7006" || code === "7031"
    const list = (found[own?.path ?? name] ??= [])
    if (own !== undefined && list.some(({ severity }) => severity === "error")) continue
    list.push({
      code: "CV-TYPE",
      ...place,
      severity: isUntyped ? "warning" : "error",
      message: own === undefined ? said : `the handler does not fit its step: ${said}`,
      ...(isUntyped || own !== undefined
        ? { suggestion: `export default (async (input, ctx) => …) satisfies Handler<"${idOf(name, own)}">` }
        : {}),
    })
  }
  known.set(folder + print, found)
  return found
}

interface Check {
  readonly path: string
  readonly id: string
  readonly line: string
}
function checkOf(name: string): readonly Check[] {
  const place = codePlace(`code/${name}`)
  if (!place.ok) return []
  const id = `${place.value.flow}/${place.value.step}`
  return [{ path: `code/${name}`, id, line: `void ((await import("${UP}/code/${name}")).default satisfies Handler<"${id}">)` }]
}
const idOf = (name: string, own: Check | undefined): string => own?.id ?? checkOf(name.replace(/^code\//, ""))[0]?.id ?? "FLOW/STEP"

const handlersIn = (bundle: Bundle): readonly (readonly [string, string])[] =>
  Object.entries(bundle["code"] ?? {}).filter(([name]) => name.endsWith(".ts"))

/** The project's own `tsc`, where the package's types are at hand too. */
function compilerOf(folder: string): string | undefined {
  try {
    const { resolve } = createRequire(path.join(folder, "package.json"))
    resolve(`${PACKAGE}/package.json`)
    return path.join(path.dirname(resolve("typescript/package.json")), "bin/tsc")
  } catch {
    return undefined
  }
}
