// POST /v1/import: imports agents and skills of other systems, from a zip archive or from {files: {path: text}}, into the tenant's catalog; with
// `?flow=`, rows for that flow.
//
// Without `?write=1` nothing is written, and the answer says what would happen to each file.

import { importFiles } from "../../engine/import/import-files.ts"
import { importRows, type RowsImport } from "../../engine/import/import-rows.ts"
import { isLitter, type ForeignFile } from "../../engine/import/sort-files.ts"
import { isZip, MOST_FILES, readZip } from "../../engine/import/zip.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { isFlowId } from "../../core/text/names.ts"
import { readFlow } from "../../engine/catalog/check/language.ts"
import { cleanJson } from "../../engine/run/arrival.ts"
import { writing } from "./past-gate.ts"
import { json } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, refuse, type Refusal } from "../middleware/problem.ts"
import { ImportBody } from "../../api/catalog.ts"

export async function importCatalog(c: Call): Promise<Response> {
  const write = writes(c)
  if (!write.ok) return refuse(c, write.error)
  const prefix = prefixOf(c)
  if (!prefix.ok) return refuse(c, prefix.error)
  const rows = await rowsWish(c)
  if (!rows.ok) return refuse(c, rows.error)
  const files = await filesOf(c)
  if (!files.ok) return refuse(c, files.error)
  const ports = writing(c)
  if (!ports.ok) return ports.error
  if (rows.value)
    return c.json(await importRows(files.value, ports.value.catalog, { ...rows.value, prefix: prefix.value, write: write.value }))
  const { tools, others = [] } = c.get("services")
  const registered = await c.get("tenant").registered.registered()
  const names = [...tools, ...others, ...registered].map((tool) => tool.name)
  return c.json(await importFiles(files.value, names, ports.value.catalog, write.value, prefix.value))
}

/** [V31] With `?flow=` the files are rows for it. */
async function rowsWish(c: Call): Promise<Result<Omit<RowsImport, "prefix" | "write"> | undefined, Refusal>> {
  const [flow, expected] = [c.req.query("flow"), c.req.query("expected")]
  if (flow === undefined && expected === undefined) return ok(undefined)
  if (flow === undefined) return err(invalid([{ pointer: "?expected", message: "belongs to ?flow=, the flow whose rows are imported" }]))
  const { catalog, secrets } = c.get("tenant")
  const found = isFlowId(flow) ? await catalog.read("flow", flow) : undefined
  if (!found) return err(invalid([{ pointer: "?flow", message: "is not a flow of the catalog" }]))
  const loaded = readFlow(found.content, flow).value
  if (!loaded) return err(invalid([{ pointer: "?flow", message: "is a flow with errors: correct it first" }]))
  const redactor = await secrets.redactor()
  return ok({ flow, expected, inputs: new Set(Object.keys(loaded.inputs)), clean: (rows) => cleanJson(rows, redactor) })
}

/** What the name of each imported definition begins with. */
function prefixOf(c: Call): Result<string, Refusal> {
  const prefix = c.req.query("prefix") ?? ""
  if (prefix === "" || /^[A-Za-z0-9_][A-Za-z0-9_-]{0,31}$/.test(prefix)) return ok(prefix)
  return err(
    invalid([
      { pointer: "?prefix", message: 'must have 1 to 32 letters, digits, "_" or "-", and begin with a letter or digit, such as acme-' },
    ]),
  )
}

/** `write=1` writes; `dry=1` is the default. */
function writes(c: Call): Result<boolean, Refusal> {
  for (const name of ["write", "dry"]) {
    const value = c.req.query(name)
    if (value !== undefined && value !== "1" && value !== "0") return err(invalid([{ pointer: `?${name}`, message: "must be 1 or 0" }]))
  }
  const write = c.req.query("write") === "1"
  if (write && c.req.query("dry") === "1") return err(invalid([{ pointer: "?dry", message: "must not be 1 together with write=1" }]))
  return ok(write)
}

async function filesOf(c: Call): Promise<Result<readonly ForeignFile[], Refusal>> {
  const bytes = c.get("body")
  if (isZip(bytes)) return unpacked(bytes, () => true, "")
  const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (ZIP_TYPES.includes(type)) return err(invalid([{ pointer: "", message: "must be a zip archive; this one is damaged or incomplete" }]))
  const body = json(c, ImportBody)
  if (!body.ok) return body
  const { files: given, archive, only } = body.value
  if ((given === undefined) === (archive === undefined))
    return err(invalid([{ pointer: "/files", message: 'must be given, or "archive" with a zip in base64, but not both' }]))
  const chosen = only && new Set(only)
  const isChosen = (path: string): boolean => chosen === undefined || chosen.has(path)
  if (archive !== undefined)
    return unpacked(
      Uint8Array.from(atob(archive), (char) => char.charCodeAt(0)),
      isChosen,
      "/archive",
    )
  const files = Object.entries(given ?? {}).filter(([path]) => isChosen(path))
  if (files.length > MOST_FILES)
    return err(
      invalid([
        {
          pointer: "/files",
          message: `has ${files.length.toLocaleString("en")} files; send at most ${MOST_FILES.toLocaleString("en")} at once`,
        },
      ]),
    )
  const encoder = new TextEncoder()
  return ok(files.map(([path, text]) => ({ path, bytes: encoder.encode(text) })))
}

async function unpacked(
  bytes: Uint8Array,
  isChosen: (path: string) => boolean,
  pointer: string,
): Promise<Result<readonly ForeignFile[], Refusal>> {
  if (!isZip(bytes)) return err(invalid([{ pointer, message: "must be a zip archive; this one is damaged or incomplete" }]))
  const files = await readZip(bytes, (path) => !isLitter(path) && isChosen(path))
  return files.ok ? ok(files.value.filter(({ path }) => isChosen(path))) : err(invalid([{ pointer, message: files.error }]))
}

const ZIP_TYPES = ["application/zip", "application/x-zip-compressed", "application/x-zip"]
