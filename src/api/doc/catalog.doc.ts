// Describes the API's answers about the catalog.
//
// Over 300 lines: the answers to a write, a plan and a diff are made of the same members.

import { z } from "zod"
import { FILE_KINDS, FOLDERS, PACKED_FOLDERS, SETTING_FILES, type DefinitionKind } from "../../core/flow/catalog-kinds.ts"
import { BundleBody, ImportBody, MergeBody, PackageBody, CatalogPlanBody, RollbackBody, ValidateBody } from "../catalog.ts"
import { SaidBlock } from "./run/start-block.doc.ts"
import { Diagnostic, documented, Hash, JsonObject, pageOf, Time, type FieldTexts } from "./shape.doc.ts"

const kind = z.enum(FILE_KINDS).describe("The kind of definition.")
const tier = z.enum(["local", "package", "built-in"]).describe("The tier: the tenant, a package, or this build.")
const inPackage = z.string().exactOptional().describe("The package that contains the file.")
const path = z.string().describe("The file's path in the catalog.")
const diagnostics = z.array(Diagnostic).describe("The diagnostics of the file.")
const diagnosticsByPath = z.record(z.string(), z.array(Diagnostic)).describe("Path → the diagnostics of the file.")
const revision = z.number().describe("The catalog's revision.")

export const CatalogFile = z.object({
  kind,
  id: z.string().describe("The definition's id."),
  path,
  tier,
  package: inPackage,
  hash: Hash,
  size: z.number().describe("Bytes."),
  description: z.string().exactOptional().describe("The definition's own description."),
  steps: z.number().exactOptional().describe("For a valid flow: the number of steps."),
  diagnostics,
})
export type CatalogFile = z.output<typeof CatalogFile>
export type FileKind = CatalogFile["kind"]
export type { DefinitionKind }

export const CatalogList = z.object({ ...pageOf(CatalogFile).shape, revision })
export type CatalogList = z.output<typeof CatalogList>

export const Definition = z.object({
  id: z.string().describe("The definition's id."),
  path,
  tier,
  package: inPackage,
  hash: Hash,
  content: z.string().describe("The text as it was written."),
  diagnostics,
})
export type Definition = z.output<typeof Definition>

export const Written = z.object({
  written: z.boolean().describe("Whether the file was written."),
  path,
  diagnostics,
  error: z.string().exactOptional().describe("Why the file was not written, if no diagnostic says so."),
})
export type Written = z.output<typeof Written>

const aboutOf = (folders: readonly (keyof typeof FOLDERS)[]): FieldTexts =>
  Object.fromEntries(folders.map((folder) => [folder, FOLDERS[folder].about]))
const DEFINITION_FIELDS = aboutOf(PACKED_FOLDERS)
const BUNDLE_FIELDS: FieldTexts = {
  ...aboutOf(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]),
  settings: `${SETTING_FILES.map((name) => `\`${name}.yaml\``)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " or ")} → the whole setting, as YAML.`,
}
const MERGE_FIELDS: FieldTexts = { ...BUNDLE_FIELDS, delete: "Paths of files to delete, such as `flows/old.yaml`." }
export const Bundle = z.object(BundleBody.shape)

export const Replaced = z.object({ revision: z.number().describe("The catalog's new revision."), diagnostics: diagnosticsByPath })
export type Replaced = z.output<typeof Replaced>

const action = z.enum(["write", "remove", "replace", "merge", "rollback", "register", "unregister"]).describe("The kind of write.")
const by = z.string().nullable().describe("The name of the key that wrote the revision; null if none.")
const paths = (which: string) => z.array(z.string()).describe(`Paths of files that ${which}.`)
const outcome = {
  added: paths("are new"),
  changed: paths("have a different text"),
  removed: paths("are gone"),
  breaks: z
    .array(
      z.object({
        kind: z.enum(["hook", "schedule", "agent", "flow", "scorer", "gate"]).describe("What breaks."),
        id: z.string().describe("Its id."),
        name: z.string().exactOptional().describe("The name, if there is one."),
        flow: z
          .string()
          .describe("The flow that is started; `@subagent/NAME` for an agent, `@judge/NAME` for a scorer, a rule's flows for the gate."),
        why: z.string().describe("Why the start is no longer possible."),
      }),
    )
    .describe(
      "Hooks, schedules, agents, flows and scorers that could start before and cannot afterward, and rules of the gate that lose a scorer; at most 1,000.",
    ),
}

export const Applied = z.object({
  revision: z.number().describe("The catalog's revision: a new one, or the current one if nothing changed."),
  diagnostics: diagnosticsByPath,
  ...outcome,
})
export type Applied = z.output<typeof Applied>

export const Drift = z.object({
  since: z.number().nullable().describe("The revision after the project's last apply; null if it was never applied."),
  changes: z
    .array(
      z.object({
        path,
        status: z.enum(["added", "changed", "removed"]).describe("What happened to the file."),
        revision: z.number().describe("The newest revision that changed the file."),
        at: Time.describe("When that revision was written."),
        by,
        action,
        overwritten: z.boolean().describe("Whether the apply would change the file again."),
      }),
    )
    .describe("Files that changed since the last apply; at most 2,000."),
  more: z.boolean().describe("Whether there are more changes than listed."),
})

export const Gate = z.object({
  passed: z.boolean().describe("Whether nothing keeps the gate from letting the apply through; what is in `pending` is not decided yet."),
  pending: z.array(z.string()).exactOptional().describe("The flows that wait for an experiment: a plan begins none, and an apply does."),
  reached: z.array(z.string()).describe("Gated flows that the apply affects."),
  report: JsonObject.describe("The flows that the apply would break, with their tests, as in the problem `gate_failed`."),
  passed_over: z
    .array(
      z.object({
        flow: z.string().describe("The gated flow."),
        run: z.string().describe("The recorded run."),
        message: z.string().describe("Why the run could not be tried."),
      }),
    )
    .exactOptional()
    .describe("Recorded runs that could not be tried, and therefore protect nothing."),
})

export const CatalogPlan = z.object({
  revision: z.number().describe("The catalog's current revision."),
  diagnostics: diagnosticsByPath,
  ...outcome,
  drift: Drift.describe("Changes by others since the project's last apply."),
  gate: Gate.describe("The gate's verdict."),
})
export type CatalogPlan = z.output<typeof CatalogPlan>

const before = z.string().nullable().describe("Hash of the file before; null if there was none.")
const after = z.string().nullable().describe("Hash of the file after; null if it was removed.")

export const Revision = z.object({
  revision: z.number().describe("The revision's number."),
  at: Time.describe("When it was written."),
  by,
  action,
  target: z.number().exactOptional().describe("For a rollback: the restored revision."),
  forced: z.literal(true).exactOptional().describe("An admin bypassed the gate."),
  changed: z.number().describe("The number of changed files."),
  changes: z.array(z.object({ path, before, after })).describe("The files that changed."),
})
export type Revision = z.output<typeof Revision>

export const Diff = z.object({
  from: z.number().describe("The older revision."),
  to: z.number().describe("The newer revision."),
  data: z
    .array(
      z.object({
        path,
        status: z.enum(["added", "removed", "changed"]).describe("What happened to the file."),
        before,
        after,
        diff: z.string().exactOptional().describe("Hunks of a unified diff; left out if it would be too long."),
      }),
    )
    .describe("The files that differ."),
})
export type CatalogDiff = z.output<typeof Diff>

export const Graph = z.object({
  nodes: z
    .array(
      z.object({
        id: z.string().describe("The step's id."),
        type: z.string().describe("The step's type."),
        agent: z.string().exactOptional().describe("The agent of the step."),
        flow: z.string().exactOptional().describe("The flow that a child run runs."),
        description: z.string().exactOptional().describe("What the step does."),
        segment: z.number().describe("The step's segment, in file order. Steps of a segment run in parallel."),
        max_iterations: z.number().exactOptional().describe("The maximum number of iterations."),
        signal: z.string().exactOptional().describe("Of a wait: the signal that ends it."),
        timeout: z.number().exactOptional().describe("Of a wait: the milliseconds after which it ends without its signal."),
        over: z.string().exactOptional().describe("Of a map: the reference to the list that it goes through."),
        tools: z.array(z.string()).exactOptional().describe("The tools that the step calls itself, without an agent."),
      }),
    )
    .describe("The steps."),
  edges: z
    .array(
      z.object({
        from: z.string().describe("The step that the edge leaves."),
        to: z.string().describe("The step that it leads to."),
        kind: z.string().describe("The reason for the edge: a branch, a route such as `on_error`, `blockedBy`, or `next`."),
        label: z.string().exactOptional().describe("The label of a branch."),
      }),
    )
    .describe("The edges between steps."),
  start: z
    .object({
      description: z.string().describe("What the flow is for."),
      inputs: z
        .record(
          z.string(),
          z.object({
            type: z.enum(["string", "number", "boolean", "object", "array"]).describe("The JSON type."),
            required: z.boolean().describe("Whether the input is required."),
            default: z.json().exactOptional().describe("The default value."),
            description: z.string().exactOptional().describe("The purpose of the input."),
          }),
        )
        .describe("Name → input."),
      task_required: z.boolean().describe("Whether a task is required."),
      task_prompt: z.string().exactOptional().describe("The prompt for the task."),
      block: SaidBlock.exactOptional().describe("The flow's `start` block, as its file says it."),
    })
    .describe("The input of a start, for a form."),
})

export const Verdict = z.object({
  valid: z.boolean().describe("Whether the text has no errors."),
  diagnostics,
  graph: Graph.exactOptional().describe("For a valid flow: its nodes and edges, for drawing, and the input of a start."),
})
export type Verdict = z.output<typeof Verdict>

export const FlowCheck = z.object({
  valid: z.boolean().describe("Whether the flow has no errors."),
  diagnostics: z.array(Diagnostic).exactOptional().describe("The diagnostics of the flow."),
  models: z.record(z.string(), z.string()).describe("Agent → its resolved model."),
  missing: z.array(z.string()).exactOptional().describe("Agents for which no model is configured."),
  proof: JsonObject.exactOptional().describe("Proven facts about every run: reachable steps, ends, model calls, cost."),
})

export const ImportReport = z.object({
  written: z.boolean().describe("Whether anything was written."),
  counts: z
    .object({
      imported: z.number().describe("Files imported unchanged."),
      changed: z.number().describe("Files imported with changes."),
      refused: z.number().describe("Files left out."),
    })
    .describe("The number of files by status."),
  data: z
    .array(
      z.object({
        path: z.string().describe("The path in the request."),
        kind: z.string().describe("The kind of definition; `other` if the catalog has no such kind."),
        status: z.enum(["imported", "changed", "refused"]).describe("The file's status."),
        target: z.string().exactOptional().describe("The path in the catalog."),
        changes: z.array(z.string()).describe("The changes to the file, in words."),
        diagnostics: z.array(Diagnostic).describe("The diagnostics of the file; lines are those of the stored text."),
        replaces: z.literal(true).exactOptional().describe("Whether it replaces a stored file."),
        tokens: z
          .number()
          .exactOptional()
          .describe("For an agent or a SKILL.md: the approximate number of tokens of its text in a prompt."),
      }),
    )
    .describe("One entry for each file."),
})

export type ImportReport = z.output<typeof ImportReport>

const { version: _version, ...definitions } = PackageBody.shape
const packageFields = {
  name: z.string().describe("The package's name."),
  version: z.string().describe("Its version."),
  hash: Hash,
}
export const Package = z.object({
  ...packageFields,
  agents: z.number().describe("The number of agents."),
  flows: z.number().describe("The number of flows."),
  skills: z.number().describe("The number of skills."),
  diagnostics: z.array(Diagnostic).describe("The diagnostics of its files."),
})
export type PackageRow = z.output<typeof Package>
export const PackageWhole = z.object({
  ...packageFields,
  diagnostics: z.array(Diagnostic).describe("The diagnostics of its files."),
  ...definitions,
})
export type PackageWhole = z.output<typeof PackageWhole>
export const PackageWritten = z.object({
  ...packageFields,
  revision: z.number().describe("The catalog's new revision."),
  diagnostics: diagnosticsByPath,
})
export type PackageWritten = z.output<typeof PackageWritten>

const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const OLD_HASH = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
const FLOW = "name: sort\ndescription: Sorts tickets by urgency.\nsteps:\n  - id: read\n    agent: sorter\n"
const AGENT = "---\nname: sorter\ndescription: Reads a ticket.\n---\nHow urgent is ${{task}}?\n"
const BUNDLE = { flows: { "sort.yaml": FLOW }, agents: { "sorter.md": AGENT } }
const FILE = { kind: "flow", id: "sort", path: "flows/sort.yaml", tier: "local", hash: HASH, size: 96, diagnostics: [] } satisfies z.input<
  typeof CatalogFile
>
const OUTCOME = {
  added: ["agents/sorter.md"],
  changed: [FILE.path],
  removed: ["flows/old.yaml"],
  breaks: [{ kind: "schedule" as const, id: "sch_4f2k7q", flow: "old", why: 'there is no flow "old"' }],
}
const PACKAGE = { name: "support", version: "1.2.0", hash: HASH }
const REPORTED = { path: "agents/reviewer.md", kind: "agent", status: "changed", target: "agents/reviewer.md" } as const

export const catalogDoc = documented({
  parameters: {
    agent: { description: "The agent's name.", example: "sorter" },
    file: { description: "The file's path in the skill.", example: "SKILL.md" },
    flow: { description: "The flow's id.", example: "triage" },
    package: { description: "The package's name.", example: "support" },
    schema: { description: "`flow.json`, `agent.json`, or the schema of another kind of file, such as `tool.json`.", example: "flow.json" },
    skill: { description: "The skill's name.", example: "style" },
  },
  shapes: {
    Applied,
    Bundle,
    BundleBody,
    CatalogFile,
    CatalogList,
    Definition,
    Diff,
    FlowCheck,
    Graph,
    ImportBody,
    ImportReport,
    MergeBody,
    Package,
    PackageBody,
    PackageWhole,
    PackageWritten,
    CatalogPlanBody,
    CatalogPlan,
    Replaced,
    Revision,
    RollbackBody,
    ValidateBody,
    Verdict,
    Written,
  },
  examples: {
    Applied: { revision: 8, diagnostics: {}, ...OUTCOME },
    Bundle: BUNDLE,
    BundleBody: BUNDLE,
    CatalogFile: FILE,
    CatalogList: { data: [FILE], next_cursor: null, revision: 7 },
    Definition: { id: "sort", path: FILE.path, tier: "local", hash: HASH, content: FLOW, diagnostics: [] },
    Diff: {
      from: 6,
      to: 7,
      data: [
        {
          path: FILE.path,
          status: "changed",
          before: OLD_HASH,
          after: HASH,
          diff: "@@ -2 +2 @@\n-description: Sorts.\n+description: Sorts tickets by urgency.\n",
        },
      ],
    },
    FlowCheck: { valid: true, models: { sorter: "anthropic/claude-haiku-4-5" }, proof: { ends: true } },
    Graph: {
      nodes: [
        { id: "read", type: "agent", agent: "sorter", segment: 0 },
        { id: "answer", type: "agent", agent: "writer", segment: 1 },
      ],
      edges: [{ from: "read", to: "answer", kind: "next" }],
      start: {
        description: "Sorts and answers tickets.",
        inputs: { queue: { type: "string", required: true, description: "The queue that it reads." } },
        task_required: true,
      },
    },
    ImportBody: { files: { "agents/reviewer.md": AGENT } },
    ImportReport: {
      written: false,
      counts: { imported: 0, changed: 1, refused: 0 },
      data: [{ ...REPORTED, changes: ["`tools: Read` is now `tools: read`"], diagnostics: [] }],
    },
    Package: { ...PACKAGE, agents: 1, flows: 1, skills: 0, diagnostics: [] },
    PackageBody: { version: PACKAGE.version, ...BUNDLE },
    PackageWhole: { ...PACKAGE, diagnostics: [], ...BUNDLE },
    MergeBody: { ...BUNDLE, delete: ["flows/old.yaml"] },
    CatalogPlanBody: { mode: "merge", ...BUNDLE, delete: ["flows/old.yaml"] },
    CatalogPlan: {
      revision: 7,
      diagnostics: {},
      ...OUTCOME,
      drift: {
        since: 6,
        changes: [
          {
            path: FILE.path,
            status: "changed",
            revision: 7,
            at: "2026-11-22T09:00:00.000Z",
            by: "ann",
            action: "write",
            overwritten: true,
          },
        ],
        more: false,
      },
      gate: { passed: true, reached: ["sort"], report: { flows: [] } },
    },
    PackageWritten: { ...PACKAGE, revision: 8, diagnostics: {} },
    Replaced: { revision: 8, diagnostics: {} },
    Revision: {
      revision: 7,
      at: "2026-11-22T09:00:00.000Z",
      by: "ci",
      action: "write",
      changed: 1,
      changes: [{ path: FILE.path, before: OLD_HASH, after: HASH }],
    },
    RollbackBody: { revision: 6 },
    ValidateBody: { kind: "flow", content: FLOW },
    Verdict: { valid: true, diagnostics: [] },
    Written: { written: true, path: FILE.path, diagnostics: [] },
  },
  fields: [
    [Bundle, BUNDLE_FIELDS],
    [BundleBody, BUNDLE_FIELDS],
    [MergeBody, MERGE_FIELDS],
    [CatalogPlanBody, { ...MERGE_FIELDS, mode: "`replace` plans a PUT of the catalog, `merge` a PATCH." }],
    [
      ImportBody,
      {
        files: "Path → text.",
        archive: "A zip archive in base64, instead of `files`.",
        only: "Paths of the files to import; by default all.",
      },
    ],
    [PackageBody, { version: "The package's version, such as `1.2.0`.", ...DEFINITION_FIELDS }],
    [PackageWhole, DEFINITION_FIELDS],
    [RollbackBody, { revision: "The revision whose content to restore." }],
    [
      ValidateBody,
      {
        kind: "The kind of definition.",
        content: "The text.",
        path: "The file's path in the catalog, for checks of its name and references.",
      },
    ],
  ],
})
