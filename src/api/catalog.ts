// Declares the catalog [F70–F73]: single definitions, the whole catalog, packages, imports, and checks before a write. Over 300 lines: the
// bodies and routes of one resource, from which handlers, document and client derive.

import { z } from "zod"
import { BUNDLE_FOLDERS, FILE_KINDS, PACKED_FOLDERS, type Folder } from "../core/flow/catalog-kinds.ts"
import { MAX_NAME, MAX_TEXT, recordOf } from "../core/schema/bounded.ts"
import {
  flag,
  IF_MATCH,
  IF_NONE_MATCH,
  LARGE_BODY,
  NOT_MODIFIED,
  PAGE,
  PAST_GATE,
  PAGES,
  REVISION,
  words,
  type RouteDoc,
  type Routes,
} from "./route/route.ts"
import { CODE, MARKDOWN, read, remove, removeNamed, SKILL, write, YAML } from "./route/definition-routes.ts"
import { later } from "../core/schema/later.ts"

export const MAX_PATH = 1_024 // limit: characters of a path in a bundle → 422 at the member

/** The kinds that can be listed with their uses. */
export const USED_KINDS = ["agent", "skill"] as const
export type UsedKind = (typeof USED_KINDS)[number]

export const ValidateBody = later(() =>
  z.strictObject({
    kind: z.enum(FILE_KINDS),
    content: z.string().max(MAX_TEXT),
    path: z.string().min(1).max(MAX_PATH).exactOptional(),
  }),
)

/** The catalog itself holds fewer files, and says which quota or which limit of a kind of file is passed. */
const MAX_MEMBERS = 10_000 // limit: members of a kind in a bundle → 422 at the member
const texts = recordOf(z.string().max(MAX_TEXT), MAX_MEMBERS, z.string().max(MAX_PATH)).exactOptional()
const textsIn = <F extends Folder>(folders: readonly F[]) =>
  Object.fromEntries(folders.map((folder) => [folder, texts])) as Record<F, typeof texts>
export const BundleBody = later(() => z.strictObject(textsIn(BUNDLE_FOLDERS)))
/** The type of the request body for clients. */
export type Bundle = z.input<typeof BundleBody>

const paths = z.array(z.string().min(1).max(MAX_PATH)).max(MAX_MEMBERS).exactOptional()
export const MergeBody = later(() => z.strictObject({ ...BundleBody.shape, delete: paths }))
export type Merge = z.input<typeof MergeBody>
export const CatalogPlanBody = later(() => z.strictObject({ ...MergeBody.shape, mode: z.enum(["merge", "replace"]) }))
export type Plan = z.input<typeof CatalogPlanBody>

/** Characters of one file of an import: as many as an unpacked archive may have bytes. */
const MAX_ARCHIVE = 10 * 1_048_576 // limit: characters of a file of an import → 422 at the member

export const RollbackBody = z.strictObject({ revision: z.int().min(0) })
export const ImportBody = later(() =>
  z.strictObject({
    files: recordOf(z.string().max(MAX_ARCHIVE), MAX_MEMBERS, z.string().max(MAX_PATH)).exactOptional(),
    archive: z.base64().max(LARGE_BODY).exactOptional(),
    only: paths,
  }),
)
export type ImportGiven = z.input<typeof ImportBody>

const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/
export const PackageBody = later(() =>
  z.strictObject({
    version: z
      .string()
      .regex(VERSION, 'must have 1 to 100 letters, digits, ".", "-", "+" or "_", and start with a letter or digit, such as 1.2.0'),
    ...textsIn(PACKED_FOLDERS),
  }),
)

const list = (summary: string, path: string) =>
  ({
    method: "GET",
    path,
    scope: "catalog:read",
    tag: "Catalog",
    summary,
    query: PAGE,
    answers: { 200: { description: "All of them, including the built-in ones.", body: "CatalogList" } },
  }) as const satisfies RouteDoc

const PROJECT = words("The project to apply, such as `shop`. The plan measures drift from its last apply.", 100)

export const catalog = {
  listFlows: list("List flows", "/v1/flows"),
  getFlow: read("Read a flow", "/v1/flows/:flow", YAML),
  putFlow: write("Write a flow", "/v1/flows/:flow", YAML),
  deleteFlow: removeNamed("Remove a flow", "/v1/flows/:flow"),
  getFlowGraph: {
    method: "GET",
    path: "/v1/flows/:flow/graph",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Read a flow's nodes and edges, for drawing, and the inputs of a start",
    query: { revision: REVISION },
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "The graph.", body: "Graph", headers: ["etag"] }, 304: NOT_MODIFIED },
    problems: ["invalid_flow"],
  },
  checkFlow: {
    method: "GET",
    path: "/v1/flows/:flow/check",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Prove facts about a flow before it runs",
    answers: { 200: { description: "Reachability, ends, values that may be missing, model calls and cost.", body: "FlowCheck" } },
  },
  getRehearsal: read("Read a flow's rehearsal", "/v1/flows/:flow/rehearsal", YAML),
  putRehearsal: write("Write a flow's rehearsal", "/v1/flows/:flow/rehearsal", YAML),
  deleteRehearsal: remove("Remove a flow's rehearsal", "/v1/flows/:flow/rehearsal"),
  getTests: read("Read a flow's tests", "/v1/flows/:flow/tests", YAML),
  putTests: write("Write a flow's tests", "/v1/flows/:flow/tests", YAML),
  deleteTests: remove("Remove a flow's tests", "/v1/flows/:flow/tests"),
  listAgents: list("List agents", "/v1/agents"),
  getAgent: read("Read an agent", "/v1/agents/:agent", MARKDOWN),
  listAgentTools: {
    method: "GET",
    path: "/v1/agents/:agent/tools",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List tools: whether each would be granted to this agent, and by which rule",
    description: "With `flow` and `step`, the tools in this step of the flow, with its model and the flow's approvals.",
    query: {
      ...PAGE,
      flow: words("A flow that uses the agent; with `step`.", MAX_NAME),
      step: words("A step of that flow.", MAX_NAME),
    },
    answers: { 200: { description: "All tools.", body: "AgentTool[]" } },
  },
  listUsed: {
    method: "GET",
    path: "/v1/catalog/used",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List agents or skills with their uses",
    query: {
      ...PAGE,
      kind: { description: "The kind to list; by default agents.", schema: { type: "string", enum: USED_KINDS } },
      id: words("Only the agent or skill with this name.", MAX_NAME),
    },
    answers: { 200: { description: "All of them, including the built-in ones.", body: "Used[]" } },
  },
  putAgent: write("Write an agent", "/v1/agents/:agent", MARKDOWN),
  deleteAgent: removeNamed("Remove an agent", "/v1/agents/:agent"),
  listSkillFiles: list("List skill files", "/v1/skills"),
  getSkillFile: read("Read a skill file", "/v1/skills/:skill/:file{.+}", SKILL),
  putSkillFile: write("Write a skill file", "/v1/skills/:skill/:file{.+}", SKILL),
  deleteSkillFile: removeNamed("Remove a skill file", "/v1/skills/:skill/:file{.+}"),
  getHandler: read("Read a code step's handler", "/v1/code/:flow/:step", CODE),
  putHandler: write("Write a code step's handler", "/v1/code/:flow/:step", CODE),
  deleteHandler: remove("Remove a code step's handler", "/v1/code/:flow/:step"),
  getHandlerScaffold: {
    method: "GET",
    path: "/v1/code/:flow/:step/scaffold",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Generate the first text of a handler, with its inputs and outputs as types",
    answers: { 200: { description: "TypeScript.", body: { "text/typescript": "text" } } },
  },
  getCatalog: {
    method: "GET",
    path: "/v1/catalog",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List every file of the catalog",
    query: { revision: REVISION },
    answers: { 200: { description: "All files.", body: "CatalogList", headers: ["etag"] } },
  },
  replaceCatalog: {
    method: "PUT",
    path: "/v1/catalog",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Replace the tenant's files, all or nothing",
    description:
      "A folder that is left out stays unchanged. The response lists the changes and the breakage. A write without changes makes no revision.",
    query: { project: PROJECT, force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    body: BundleBody,
    answers: { 200: { description: "Written.", body: "Applied", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full", "gate_failed", "gate_pending", "catalog_moved"],
  },
  mergeCatalog: {
    method: "PATCH",
    path: "/v1/catalog",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Write the given files and delete the named files, all or nothing",
    description:
      "All other files stay unchanged. The response lists the changes and the breakage. A write without changes makes no revision.",
    query: { project: PROJECT, force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    body: MergeBody,
    answers: { 200: { description: "Written.", body: "Applied", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full", "gate_failed", "gate_pending", "catalog_moved"],
  },
  planCatalog: {
    method: "POST",
    path: "/v1/catalog/plan",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Preview a PUT or PATCH of the catalog",
    description:
      "The mode `replace` is PUT, `merge` is PATCH. The response also lists changes by others since the project's last apply, and the gate's verdict.",
    query: { project: PROJECT },
    headers: { "if-match": IF_MATCH },
    body: CatalogPlanBody,
    answers: { 200: { description: "What would happen.", body: "CatalogPlan", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full"],
  },
  importFiles: {
    method: "POST",
    path: "/v1/import",
    bodyLimit: LARGE_BODY,
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Import agents, commands, skills and flows written for other systems, or rows for a flow",
    description:
      "Without `write=1` nothing is written, and the response is a preview. With `flow`, a promptfoo configuration or JSON Lines of OpenAI evals becomes `datasets/NAME.yaml`.",
    query: {
      write: flag("1 writes the files."),
      dry: flag("1 writes nothing (the default)."),
      force: PAST_GATE,
      prefix: words("The prefix of all imported definitions, such as `acme-`.", 32),
      flow: words("The flow for which the files have rows.", MAX_NAME),
      expected: words("With `flow`: the member of an item of OpenAI evals that has the reference answer.", MAX_NAME),
    },
    body: ImportBody,
    media: { "application/zip": "bytes" },
    answers: { 200: { description: "What happened, or would happen, to each file.", body: "ImportReport" } },
    problems: ["catalog_full", "gate_failed", "gate_pending", "catalog_moved"],
  },
  exportCatalog: {
    method: "GET",
    path: "/v1/catalog/export",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Export the tenant's files as the body that PUT /v1/catalog takes",
    answers: { 200: { description: "The tenant's own files.", body: "Bundle", headers: ["etag"] } },
    problems: ["catalog_lost"],
  },
  listRevisions: {
    method: "GET",
    path: "/v1/catalog/history",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List the catalog's revisions, newest first",
    query: PAGES,
    answers: { 200: { description: "A page of revisions.", body: "Revision[]" } },
  },
  diffCatalog: {
    method: "GET",
    path: "/v1/catalog/diff",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Compare two revisions",
    query: {
      from: {
        description: "The older revision; by default the one before `to`.",
        schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
      to: {
        description: "The newer revision; by default the current one.",
        schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
      path: words("Compare only this file.", MAX_PATH),
    },
    answers: { 200: { description: "One entry for each path that differs.", body: "Diff" } },
  },
  rollBackCatalog: {
    method: "POST",
    path: "/v1/catalog/rollback",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Write a new revision with the content of an old one",
    query: { force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    body: RollbackBody,
    answers: { 200: { description: "Written.", body: "Replaced", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full", "gate_failed", "gate_pending", "catalog_moved"],
  },
  listPackages: {
    method: "GET",
    path: "/v1/packages",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List registered packages",
    query: PAGE,
    answers: { 200: { description: "All packages, in order of registration.", body: "Package[]" } },
  },
  getPackage: {
    method: "GET",
    path: "/v1/packages/:package",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Read a package",
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "The package and its files.", body: "PackageWhole", headers: ["etag"] }, 304: NOT_MODIFIED },
  },
  putPackage: {
    method: "PUT",
    path: "/v1/packages/:package",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Register or replace a package",
    query: { dry: flag("1 checks the package and writes nothing; `revision` is the current one."), force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    body: PackageBody,
    answers: { 200: { description: "The registered package, or a preview with `dry=1`.", body: "PackageWritten", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full", "gate_failed", "gate_pending", "catalog_moved"],
  },
  deletePackage: remove("Remove a package", "/v1/packages/:package"),
  getSchema: {
    method: "GET",
    path: "/v1/schemas/:schema",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Read the JSON Schema of a file for editors, such as flow.json, agent.json, hook.json or policy.json",
    answers: { 200: { description: "The schema.", body: { "application/schema+json": "object" } } },
  },
  validate: {
    method: "POST",
    path: "/v1/validate",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Check a definition without writing it",
    body: ValidateBody,
    answers: { 200: { description: "All faults at once; an invalid file has `valid: false`.", body: "Verdict" } },
  },
} as const satisfies Routes
