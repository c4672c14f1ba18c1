// Serves registered packages, the tier between the tenant's own files and the built-in ones [F70]. A package is written and removed as a
// whole.

import { isName } from "../../core/text/names.ts"
import { short } from "../../core/text/pointer.ts"
import { writing } from "./past-gate.ts"
import { json } from "../middleware/body.ts"
import { refused } from "./bundle.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { ifMatch, stale } from "../middleware/conditions.ts"
import { matches } from "../middleware/download.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { page } from "../middleware/page.ts"
import { catalog, PackageBody } from "../../api/catalog.ts"

/** Lists the packages in order of registration: if two packages define the same name, the first one counts. */
export const listPackages = async (c: Call): Promise<Response> => page(c, await c.get("tenant").catalog.packages())

export async function getPackage(c: Call): Promise<Response> {
  const found = await c.get("tenant").catalog.package(param(c, "package"))
  if (!found) return refuse(c, NOT_FOUND)
  const etag = `"${found.hash}"`
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
  const { name, version, hash, diagnostics, bundle } = found
  return c.json({ name, version, hash, diagnostics, ...bundle }, 200, { etag })
}

export async function putPackage(c: Call): Promise<Response> {
  const name = param(c, "package")
  if (!isName(name))
    return refuse(c, invalid([{ pointer: "", message: `${JSON.stringify(short(name))} is not a name: use letters, digits, "-" and "_"` }]))
  const body = json(c, PackageBody)
  if (!body.ok) return refuse(c, body.error)
  const condition = ifMatch(c)
  if (!condition.ok) return refuse(c, condition.error)
  const dry = words("dry", c.req.query("dry"), ["0", "1"])
  if (!dry.ok) return refuse(c, dry.error)
  const isDry = dry.value?.[0] === "1"
  const ports = writing(c)
  if (!ports.ok) return ports.error
  const port = ports.value.catalog
  const { value: ifHash } = condition
  const result = await (isDry ? port.previewPackage(name, body.value, ifHash) : port.putPackage(name, body.value, ifHash))
  if ("stale" in result) return stale(c, result.stale)
  if (!result.ok) return refused(c, result.diagnostics, true)
  const { revision, diagnostics, hash } = result
  return c.json({ name, version: body.value.version, hash, revision, diagnostics }, 200, isDry ? {} : { etag: `"${hash}"` })
}

export async function deletePackage(c: Call): Promise<Response> {
  const name = param(c, "package")
  const ports = writing(c)
  if (!ports.ok) return ports.error
  const port = ports.value.catalog
  const condition = ifMatch(c)
  if (!condition.ok) return refuse(c, (await port.package(name)) ? condition.error : NOT_FOUND)
  const gone = await port.removePackage(name, condition.value)
  if (typeof gone !== "boolean") return stale(c, gone.stale)
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export const PACKAGE_ROUTES = routes(catalog, { listPackages, getPackage, putPackage, deletePackage })
