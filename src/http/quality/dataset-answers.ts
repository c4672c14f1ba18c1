// Answers the routes of datasets [V28–V31]. Loaded when one is asked.

import { accepts } from "hono/accepts"
import type { z } from "zod"
import { RowBody } from "../../core/dataset/row-body.ts"
import { DatasetBody, RowsBody } from "../../api/quality/datasets.ts"
import { startable, type StartNeeds } from "../../engine/catalog/pin/startable.ts"
import { gateNamesDataset } from "../../core/score/gate-score.ts"
import { rowFaults } from "../../core/dataset/row-faults.ts"
import { MAX_ROW, MAX_ROWS, rowId, type AddedRow, type RowCase } from "../../core/dataset/row.ts"
import { canonical } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { bodyFaults } from "../../core/schema/body-faults.ts"
import { isFlowId } from "../../core/text/names.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import { cleanJson } from "../../engine/run/arrival.ts"
import { sha256 } from "../../engine/sha256.ts"
import { Breath, PARSED } from "../../ports/breath.ts"
import { MAX_DATASETS, type StoredRow } from "../../ports/tenant/quality/datasets.ts"
import { json } from "../middleware/body.ts"
import { param, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { BAD_CURSOR, page } from "../middleware/page.ts"
import { invalid, MAX_FAULTS, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { whole } from "../middleware/query.ts"
import { whyNot } from "../runs/begin-run.ts"
import { refuseIf } from "../runs/runs.ts"
import { rowsFrom, runsFrom } from "./dataset-runs.ts"

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/
const JSONL = "application/jsonl"
const PAGE = 500

export const listDatasets = async (c: Call): Promise<Response> => page(c, await c.get("tenant").datasets.list())

export async function getDataset(c: Call): Promise<Response> {
  const found = await c.get("tenant").datasets.find(param(c, "dataset"))
  return found ? c.json(found) : refuse(c, NOT_FOUND)
}

/** [V40] What the gate relies on is changed by an admin alone. */
async function forbidden(c: Call, name: string): Promise<Response | undefined> {
  const refused = lacks(c, "admin")
  return refused && (await isOfGate(c, name)) ? refused : undefined
}

const isOfGate = async (c: Call, name: string): Promise<boolean> => gateNamesDataset(await c.get("tenant").settings.get("gate"), name)

export async function putDataset(c: Call): Promise<Response> {
  const body = json(c, DatasetBody)
  if (!body.ok) return refuse(c, body.error)
  const name = param(c, "dataset")
  const kept = await forbidden(c, name)
  if (kept) return kept
  if (!NAME.test(name))
    return refuse(
      c,
      invalid([
        { pointer: "", message: "a dataset's name has 1 to 100 letters, digits, `-`, `_` and `.`, and begins with a letter or digit" },
      ]),
    )
  const { flow, description } = body.value
  const tenant = c.get("tenant")
  if (!isFlowId(flow) || !(await tenant.catalog.read("flow", flow)))
    return refuse(c, invalid([{ pointer: "/flow", message: "is not a flow of the catalog" }]))
  const said = await cleanJson({ description }, await tenant.secrets.redactor())
  const done = await tenant.datasets.put(name, flow, said.description)
  if (done.ok) return c.json(done.dataset)
  const fault: Fault =
    done.code === "other_flow"
      ? { pointer: "/flow", message: `stays ${done.flow}: make another dataset for another flow` }
      : { pointer: "", message: `there are ${MAX_DATASETS} datasets, and a tenant has at most as many: delete one first` }
  return refuse(c, invalid([fault]))
}

export async function deleteDataset(c: Call): Promise<Response> {
  const name = param(c, "dataset")
  const { datasets } = c.get("tenant")
  if ((await datasets.find(name)) && (await isOfGate(c, name)))
    return refuse(c, {
      code: "in_use",
      detail: `The gate relies on the dataset "${name}". Take it out of the gate first (PUT /v1/settings/gate).`,
      more: { used_by: [{ kind: "gate", id: "gate" }] },
    })
  return (await datasets.remove(name)) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export async function addRows(c: Call): Promise<Response> {
  const { datasets: port, secrets } = c.get("tenant")
  const name = param(c, "dataset")
  const isLines = (c.req.header("content-type") ?? "").startsWith(JSONL)
  const body = isLines ? await linesOf(c) : json(c, RowsBody)
  if (!body.ok) return refuseIf(c, port.find(name), body.error)
  const dataset = await port.find(name)
  if (!dataset) return refuse(c, NOT_FOUND)
  const kept = await forbidden(c, name)
  if (kept) return kept
  const { rows, from } = body.value
  if (from !== undefined) {
    const unreadable = lacks(c, "runs:read")
    if (unreadable) return unreadable
    const ids = await runsFrom(c, dataset.flow, from, "/from")
    if (!ids.ok) return refuse(c, ids.error)
    const made = await rowsFrom(c, dataset.flow, ids.value, from.expect)
    return answered(c, name, made.rows, made.left_out)
  }
  const clean = await cleanJson(rows ?? [], await secrets.redactor())
  const checked = await checkedRows(c, dataset.flow, clean as readonly RowCase[])
  return checked.ok ? answered(c, name, checked.value, []) : refuse(c, checked.error)
}

async function answered(
  c: Call,
  name: string,
  rows: readonly AddedRow[],
  left_out: readonly { readonly run: string; readonly why: string }[],
): Promise<Response> {
  const done = await c.get("tenant").datasets.add(name, rows)
  if (done.ok) {
    const gone = done.gone.map((run) => ({ run, why: "it was deleted" }))
    return c.json({ added: done.added, known: done.known, left_out: [...left_out, ...gone] })
  }
  if (done.code === "not_found") return refuse(c, NOT_FOUND)
  if (done.code === "storage_full") return refuse(c, { code: "storage_full", detail: done.why })
  return refuse(c, invalid([{ pointer: "/rows", message: `the dataset would have ${done.rows} rows; at most ${MAX_ROWS} are kept` }]))
}

/** JSON Lines: a row in each line. */
async function linesOf(c: Call): Promise<Result<z.output<typeof RowsBody>, Refusal>> {
  const breath = new Breath()
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false }).decode(c.get("body"))
  const rows: z.output<typeof RowBody>[] = []
  const faults: Fault[] = []
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const at = `/rows/${rows.length}`
    const read = await breath.compute(line.length * PARSED, () => rowOfLine(line, at))
    if (read.ok) rows.push(read.value)
    else faults.push(...read.error.map((fault) => ({ ...fault, line: i + 1 })))
    if (faults.length > 0 && faults.length >= MAX_FAULTS) break
    if (rows.length > MAX_ROWS) return err(invalid([{ pointer: "/rows", message: `must have at most ${MAX_ROWS} rows` }]))
  }
  if (faults.length > 0) return err(invalid(faults))
  return rows.length === 0 ? err(invalid([{ pointer: "/rows", message: "must have a row" }])) : ok({ rows })
}

function rowOfLine(line: string, at: string): Result<z.output<typeof RowBody>, Fault[]> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return err([{ pointer: at, message: "is not JSON: each line is a row as a JSON object" }])
  }
  const parsed = RowBody.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return err(bodyFaults(RowBody, value, parsed.error.issues, MAX_FAULTS, at))
}

/** What the flow's inputs refuse is a fault of the row, and none is added. */
async function checkedRows(c: Call, flow: string, rows: readonly RowCase[]): Promise<Result<readonly AddedRow[], Refusal>> {
  const pinned = await c.get("tenant").catalog.pin({ flow }, { rehearse: true })
  if (!pinned.ok) return err(whyNot(pinned))
  const breath = new Breath()
  const added: AddedRow[] = []
  const faults: Fault[] = []
  for (const [i, row] of rows.entries()) {
    const at = `/rows/${i}`
    const text = canonical(row)
    if (text.length > MAX_ROW) faults.push({ pointer: at, message: `must have at most ${MAX_ROW} bytes` })
    const found = await breath.compute(text.length * PARSED, () => [...rowFaults(row, at), ...inputFaults(pinned.flow, row, at)])
    faults.push(...found)
    if (faults.length >= MAX_FAULTS) break
    added.push({ id: rowId(await sha256(text)), row })
  }
  return faults.length > 0 ? err(invalid(faults)) : ok(added)
}

function inputFaults(needs: StartNeeds, { task = "", inputs = {} }: RowCase, at: string): Fault[] {
  const ready = startable({ flow: needs }, { task, inputs })
  return ready.ok ? [] : ready.error.faults.map(({ pointer, message }) => ({ pointer: `${at}${pointer}`, message }))
}

export async function listRows(c: Call): Promise<Response> {
  const { datasets: port } = c.get("tenant")
  const name = param(c, "dataset")
  const wanted = accepts(c, { header: "Accept", supports: ["application/json", JSONL], default: "application/json" })
  if (wanted === JSONL) return allRows(c, name)
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuseIf(c, port.find(name), limit.error)
  const cursor = c.req.query("cursor")
  const owner = `${c.get("caller").tenant} ${c.req.path}`
  const [after = "", ...more] = cursor === undefined ? [] : (cursorPosition(cursor, owner) ?? [0])
  if (typeof after !== "string" || more.length > 0) return refuseIf(c, port.find(name), BAD_CURSOR)
  const rows = await port.rows(name, { after, limit: limit.value + 1 })
  if (!rows) return refuse(c, NOT_FOUND)
  const data = rows.slice(0, limit.value)
  const last = data.at(-1)
  return c.json({ data: data.map(shown), next_cursor: rows.length > data.length && last ? cursorText(owner, last.id) : null })
}

async function allRows(c: Call, name: string): Promise<Response> {
  const { datasets: port } = c.get("tenant")
  const first = await port.rows(name, { limit: PAGE })
  if (!first) return refuse(c, NOT_FOUND)
  const encoder = new TextEncoder()
  let rows: readonly StoredRow[] = first
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(encoder.encode(rows.map(({ row }) => `${JSON.stringify(row)}\n`).join("")))
      const after = rows.at(-1)?.id
      rows = after === undefined || rows.length < PAGE ? [] : ((await port.rows(name, { after, limit: PAGE })) ?? [])
      if (rows.length === 0) controller.close()
    },
  })
  return c.body(body, 200, { "content-type": `${JSONL}; charset=utf-8` })
}

export async function deleteRow(c: Call): Promise<Response> {
  const name = param(c, "dataset")
  const kept = await forbidden(c, name)
  if (kept) return kept
  return (await c.get("tenant").datasets.removeRow(name, param(c, "row"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

const shown = ({ id, row, runs, untrusted, created }: StoredRow) => ({
  id,
  ...row,
  runs,
  ...(untrusted === true ? { untrusted: true } : {}),
  created: isoTime(created),
})
