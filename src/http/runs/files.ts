// Serves a run's workspace and truncated tool outputs as bytes. A model's files are served as text or octets, never as a page.

import { normalizePath } from "../../core/text/path.ts"
import { sha256 } from "../../engine/sha256.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { mediaTypeOf } from "../../core/run/given-file.ts"
import { MAX_PUT_FILES } from "../../core/run/steps/put-file.ts"
import type { PutResult } from "../../ports/run.ts"
import { pathAt } from "../middleware/address.ts"
import { downloaded } from "../middleware/download.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, lost, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { noMoment, seqOf } from "./moment.ts"
import { readable } from "./public-run.ts"
import { runOf } from "./runs.ts"
import { runs } from "../../api/run/runs.ts"

export async function listFiles(c: Call): Promise<Response> {
  const run = runOf(c)
  const at = seqOf(c)
  const then = at === undefined ? undefined : await run?.filesAt(at)
  if (at !== undefined && !then?.ok) return refuse(c, noMoment(then))
  const files = then?.ok ? then.value : await run?.files()
  const may = await readable(c, run)
  return files
    ? page(
        c,
        files.filter(({ path }) => may(path)).map((file) => isoTimes(file, "modified")),
      )
    : refuse(c, NOT_FOUND)
}

export async function getFile(c: Call): Promise<Response> {
  const path = normalizePath(param(c, "path"))
  const run = runOf(c)
  const at = seqOf(c)
  const may = path.ok && (await readable(c, run))(path.value)
  const then = at === undefined ? undefined : await run?.fileAt(path.ok ? path.value : "", at)
  if (at !== undefined && !then?.ok) return refuse(c, noMoment(then))
  const found = !may ? undefined : then?.ok ? then.value : await run?.file(path.ok ? path.value : "")
  return found ? downloaded(c, found.body, found.entry.hash, path.ok ? path.value : undefined) : refuse(c, NOT_FOUND)
}

/** [T5] Returns the full text of a truncated output. */
export async function getOutput(c: Call): Promise<Response> {
  const body = await runOf(c)?.output(param(c, "handle"))
  return body ? downloaded(c, body, await sha256(body)) : refuse(c, NOT_FOUND)
}

/** [F55] Puts a file into the run's workspace. A malformed path is reported, because the caller wrote it. */
export async function putFile(c: Call): Promise<Response> {
  const path = normalizePath(param(c, "path"))
  const untrusted = c.req.query("untrusted") ?? "0"
  const type = mediaTypeOf(path.ok ? path.value : "", c.req.header("content-type"))?.slice(0, 200)
  const run = runOf(c)
  const faults = [
    ...(path.ok ? [] : [{ pointer: "", message: path.error }]),
    ...(untrusted === "0" || untrusted === "1" ? [] : [{ pointer: "?untrusted", message: "must be 0 or 1" }]),
  ]
  if (!path.ok || faults.length > 0 || !run) return refuse(c, (await run?.view()) ? invalid(faults) : NOT_FOUND)
  const body = c.get("body")
  const full = await c.get("tenant").givenFiles.tooMuch(body.byteLength)
  if (full !== undefined) return refuse(c, (await run.view()) ? { code: "storage_full", detail: `${full}.` } : NOT_FOUND)
  const put = await run.putFile(path.value, body, {
    by: c.get("caller").name,
    ...(type === undefined || GENERIC.test(type) ? {} : { type }),
    ...(untrusted === "1" ? { tainted: true } : {}),
  })
  if (!put.ok) return refuse(c, whyNotPut(put))
  const row = isoTimes(put.entry, "modified")
  return put.created ? c.json(row, 201, { location: pathAt(c, new URL(c.req.url).pathname) }) : c.json(row)
}

/** Types that clients send when they know none. */
const GENERIC = /^(?:application\/(?:octet-stream|x-www-form-urlencoded)|text\/plain)$/

function whyNotPut(put: Extract<PutResult, { ok: false }>): Refusal {
  switch (put.code) {
    case "not_found":
      return NOT_FOUND
    case "invalid":
      return invalid([{ pointer: "", message: put.why }])
    case "busy":
      return {
        code: "steps_at_work",
        detail: `No file was put: ${put.why}. Put files before the first step begins, while a step waits, or pause the run first.`,
      }
    case "run_over":
      return { code: "run_over", detail: "The run has ended; its files can no longer change." }
    case "too_many":
      return { code: "too_many_files", detail: `At most ${MAX_PUT_FILES} different files can be put into one run.` }
    case "definitions_lost":
      return lost(put.why)
  }
}

export const FILE_ROUTES = routes(runs, { listFiles, getFile, putFile, getOutput })
