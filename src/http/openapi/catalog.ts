// The catalog and the architect: how each route of theirs is described.
//
// Over 300 lines: it is a table, one entry for each route.

import { z } from "zod"
import { OpenBody, ReviseBody } from "../catalog/architect.ts"
import { ValidateBody } from "../catalog/catalog.ts"
import { BundleBody, RollbackBody } from "../catalog/catalog-whole.ts"
import { ImportBody } from "../catalog/import.ts"
import { PackageBody } from "../catalog/packages.ts"
import { NoBody } from "../runs/runs.ts"
import {
  Accepted,
  AgentTool,
  ArchitectBegun,
  ArchitectRow,
  ArchitectSession,
  Bundle,
  CatalogList,
  Definition,
  Diff,
  FlowCheck,
  Graph,
  ImportReport,
  Package,
  PackageWhole,
  PackageWritten,
  Replaced,
  Revision,
  Verdict,
  Written,
} from "./catalog-shapes.ts"
import { CURSOR, IF_MATCH, IF_NONE_MATCH, PAGE, PREFER, REVISION, TEXT, limitTo } from "./parameters.ts"
import { JsonObject, listOf } from "./shapes.ts"
import type { Media, Table, Told } from "./told.ts"

const UNCHANGED = { says: "It is what is known already.", headers: ["etag"] } as const

/** List, read, write and remove of one kind of definition. */
function shelf(base: string, list: string | undefined, noun: string, name: string, types: readonly string[]): Table {
  const media = Object.fromEntries(types.map((type) => [type, TEXT])) as Media
  const table: Record<string, Told> = {
    [`GET ${base}`]: {
      id: `get${name}`,
      tag: "Catalog",
      does: `Read ${noun}`,
      more: "Its text as it was written; with `Accept: application/json` with hash and diagnostics.",
      query: { revision: REVISION },
      headers: { "if-none-match": IF_NONE_MATCH },
      answers: {
        200: { says: "The definition.", body: { ...media, "application/json": Definition }, headers: ["etag"] },
        304: UNCHANGED,
      },
    },
    [`PUT ${base}`]: {
      id: `put${name}`,
      tag: "Catalog",
      does: `Write ${noun}`,
      more: "Checked first: with an error in it nothing is written, and the diagnostics are in the answer.",
      headers: { "if-match": IF_MATCH },
      body: media,
      answers: { 200: { says: "Written; warnings may be among the diagnostics.", body: Written, headers: ["etag"] } },
      refuses: ["not_written", "stale", "catalog_full"],
    },
    [`DELETE ${base}`]: {
      id: `delete${name}`,
      tag: "Catalog",
      does: `Remove ${noun}`,
      headers: { "if-match": IF_MATCH },
      answers: { 204: { says: "Removed." } },
      refuses: ["stale", "invalid", "unsupported"],
    },
  }
  if (list !== undefined)
    table[`GET ${list}`] = {
      id: `list${name}s`,
      tag: "Catalog",
      does: `List ${noun.replace(/^an? /, "")}s`,
      query: PAGE,
      answers: { 200: { says: "All of them, the built-in ones too.", body: CatalogList } },
    }
  return table
}

const begun = {
  200: { says: "Its run ended within `Prefer: wait`.", body: ArchitectSession, headers: ["location", "preference-applied", "etag"] },
  202: { says: "The architect is at work.", body: ArchitectBegun, headers: ["location", "preference-applied"] },
} as const

export const CATALOG: Table = {
  ...shelf("/v1/flows/{flow}", "/v1/flows", "a flow", "Flow", ["application/yaml"]),
  ...shelf("/v1/flows/{flow}/rehearsal", undefined, "a flow's rehearsal", "Rehearsal", ["application/yaml"]),
  ...shelf("/v1/agents/{agent}", "/v1/agents", "an agent", "Agent", ["text/markdown"]),
  ...shelf("/v1/skills/{skill}/{file}", "/v1/skills", "a skill file", "SkillFile", ["text/markdown", "text/plain"]),
  ...shelf("/v1/code/{flow}/{step}", undefined, "a code step's handler", "Handler", ["text/typescript", "text/javascript"]),
  "GET /v1/flows/{flow}/graph": {
    id: "getFlowGraph",
    tag: "Catalog",
    does: "A flow's nodes and edges, for drawing",
    query: { revision: REVISION },
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { says: "The graph.", body: Graph, headers: ["etag"] }, 304: UNCHANGED },
    refuses: ["invalid_flow"],
  },
  "GET /v1/flows/{flow}/check": {
    id: "checkFlow",
    tag: "Catalog",
    does: "What can be proven of a flow before it runs",
    answers: { 200: { says: "Reachability, ends, values that may be missing, calls and cost.", body: FlowCheck } },
  },
  "GET /v1/code/{flow}/{step}/scaffold": {
    id: "getHandlerScaffold",
    tag: "Catalog",
    does: "The first text of a handler: its inputs and outputs as types",
    answers: { 200: { says: "TypeScript.", body: { "text/typescript": TEXT } } },
  },
  "GET /v1/agents/{agent}/tools": {
    id: "listAgentTools",
    tag: "Catalog",
    does: "Each tool, whether this agent would be granted it and by which rule",
    query: PAGE,
    answers: { 200: { says: "All tools.", body: listOf(AgentTool) } },
  },
  "GET /v1/catalog": {
    id: "getCatalog",
    tag: "Catalog",
    does: "Every file of the catalog",
    query: { revision: REVISION },
    answers: { 200: { says: "All files.", body: CatalogList, headers: ["etag"] } },
  },
  "PUT /v1/catalog": {
    id: "replaceCatalog",
    tag: "Catalog",
    does: "Replace the tenant's files, all or nothing",
    more: "A kind that is absent is left alone.",
    headers: { "if-match": IF_MATCH },
    body: BundleBody,
    answers: { 200: { says: "Written.", body: Replaced, headers: ["etag"] } },
    refuses: ["not_written", "stale", "catalog_full"],
  },
  "GET /v1/catalog/export": {
    id: "exportCatalog",
    tag: "Catalog",
    does: "The body that PUT /v1/catalog takes",
    answers: { 200: { says: "The tenant's own files.", body: Bundle, headers: ["etag"] } },
    refuses: ["catalog_lost"],
  },
  "GET /v1/catalog/history": {
    id: "listRevisions",
    tag: "Catalog",
    does: "List the catalog's revisions, newest first",
    query: { limit: limitTo(200, 50), cursor: CURSOR },
    answers: { 200: { says: "A page of revisions.", body: listOf(Revision) } },
  },
  "GET /v1/catalog/diff": {
    id: "diffCatalog",
    tag: "Catalog",
    does: "What changed between two revisions",
    query: {
      from: { schema: z.int().min(0), says: "Absent: the revision before `to`." },
      to: { schema: z.int().min(0), says: "Absent: the present." },
      path: { schema: z.string(), says: "Of this file alone." },
    },
    answers: { 200: { says: "One entry for each path that differs.", body: Diff } },
  },
  "POST /v1/catalog/rollback": {
    id: "rollBackCatalog",
    tag: "Catalog",
    does: "A new revision with the content of an old one",
    headers: { "if-match": IF_MATCH },
    body: RollbackBody,
    answers: { 200: { says: "Written.", body: Replaced, headers: ["etag"] } },
    refuses: ["not_written", "stale", "catalog_full"],
  },
  "POST /v1/import": {
    id: "importFiles",
    tag: "Catalog",
    does: "Take agents and skills as they exist elsewhere",
    more: "Without `write=1` nothing is touched, and the answer is what would happen.",
    query: {
      write: { schema: z.enum(["0", "1"]), says: "1 writes." },
      dry: { schema: z.enum(["0", "1"]), says: "1 says that nothing shall be written, which is so anyway." },
    },
    body: { "application/json": ImportBody, "application/zip": "bytes" },
    answers: { 200: { says: "What became, or would become, of each file.", body: ImportReport } },
    refuses: ["catalog_full"],
  },
  "GET /v1/packages": {
    id: "listPackages",
    tag: "Catalog",
    does: "List registered packages",
    query: PAGE,
    answers: { 200: { says: "In the order of registration.", body: listOf(Package) } },
  },
  "GET /v1/packages/{package}": {
    id: "getPackage",
    tag: "Catalog",
    does: "Read a package",
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { says: "The package and its files.", body: PackageWhole, headers: ["etag"] }, 304: UNCHANGED },
  },
  "PUT /v1/packages/{package}": {
    id: "putPackage",
    tag: "Catalog",
    does: "Register or replace a package",
    headers: { "if-match": IF_MATCH },
    body: PackageBody,
    answers: { 200: { says: "Registered.", body: PackageWritten, headers: ["etag"] } },
    refuses: ["not_written", "stale", "catalog_full"],
  },
  "DELETE /v1/packages/{package}": {
    id: "deletePackage",
    tag: "Catalog",
    does: "Remove a package",
    headers: { "if-match": IF_MATCH },
    answers: { 204: { says: "Removed." } },
    refuses: ["stale", "invalid", "unsupported"],
  },
  "GET /v1/schemas/{schema}": {
    id: "getSchema",
    tag: "Catalog",
    does: "JSON Schema of a file, for editors: flow.json or agent.json",
    answers: { 200: { says: "The schema.", body: { "application/schema+json": JsonObject } } },
  },
  "POST /v1/validate": {
    id: "validate",
    tag: "Catalog",
    does: "Check a definition without writing it",
    body: ValidateBody,
    answers: { 200: { says: "Every fault at once; an invalid file is `valid: false`.", body: Verdict } },
  },
  "POST /v1/architect": {
    id: "openArchitect",
    tag: "Architect",
    does: "Ask the architect for a flow, or for a change of one",
    more: "Either `task`, or `flow` and `change`. Needs `runs:write` too.",
    headers: { prefer: PREFER },
    body: OpenBody,
    answers: begun,
    refuses: [
      "not_found",
      "too_many_sessions",
      "invalid_flow",
      "unknown_agent",
      "no_price",
      "no_model",
      "unsupported",
      "quota",
      "storage_full",
    ],
  },
  "GET /v1/architect": {
    id: "listArchitect",
    tag: "Architect",
    does: "List the architect's sessions, newest first",
    query: { limit: limitTo(200, 50), cursor: CURSOR },
    answers: { 200: { says: "A page of sessions.", body: listOf(ArchitectRow) } },
  },
  "GET /v1/architect/{session}": {
    id: "getArchitect",
    tag: "Architect",
    does: "Look at a session: its files, what is wrong with them, what they change",
    answers: { 200: { says: "The session.", body: ArchitectSession, headers: ["etag"] } },
  },
  "DELETE /v1/architect/{session}": {
    id: "discardArchitect",
    tag: "Architect",
    does: "Drop a session and what it has written",
    answers: { 204: { says: "Dropped." } },
    refuses: ["session_over"],
  },
  "POST /v1/architect/{session}/accept": {
    id: "acceptArchitect",
    tag: "Architect",
    does: "Take a session's files into the catalog, as one revision",
    headers: { "if-match": IF_MATCH },
    body: NoBody,
    optional: true,
    answers: { 200: { says: "Taken.", body: Accepted } },
    refuses: [
      "architect_working",
      "architect_not_ready",
      "session_over",
      "catalog_moved",
      "catalog_full",
      "not_written",
      "stale",
      "unsupported",
    ],
  },
  "POST /v1/architect/{session}/revise": {
    id: "reviseArchitect",
    tag: "Architect",
    does: "Send a session back with notes",
    more: "Needs `runs:write` too.",
    headers: { prefer: PREFER },
    body: ReviseBody,
    answers: begun,
    refuses: [
      "architect_working",
      "session_over",
      "invalid_flow",
      "unknown_agent",
      "no_price",
      "no_model",
      "unsupported",
      "quota",
      "storage_full",
    ],
  },
}
