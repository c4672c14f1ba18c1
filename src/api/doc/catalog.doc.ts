// Describes the API's answers about the catalog.
//
// Over 300 lines: the answers to a write, a plan and a diff are made of the same members.

import { z } from "zod"
import { FILE_KINDS, FOLDERS, PACKED_FOLDERS, SETTING_FILES, type DefinitionKind } from "../../core/flow/catalog-kinds.ts"
import { BundleBody, ImportBody, MergeBody, PackageBody, CatalogPlanBody, RollbackBody, ValidateBody } from "../catalog.ts"
import { Diagnostic, documented, Hash, JsonObject, pageOf, Time, type FieldTexts } from "./shape.doc.ts"

const kind = z.enum(FILE_KINDS).describe("What the file defines.")
const tier = z.enum(["local", "package", "built-in"]).describe("Where it comes from: the tenant, a package, or this build.")
const inPackage = z.string().exactOptional().describe("The package that it comes from.")
const path = z.string().describe("The file's path in the catalog.")
const diagnostics = z.array(Diagnostic).describe("What is wrong with the file.")
const diagnosticsByPath = z.record(z.string(), z.array(Diagnostic)).describe("Path → what is wrong with that file.")
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
  steps: z.number().exactOptional().describe("Of a flow that loads: how many steps it has."),
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
  error: z.string().exactOptional().describe("Why it was not written, if no diagnostic says so."),
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

const action = z.enum(["write", "remove", "replace", "merge", "rollback", "register", "unregister"]).describe("What was done.")
const by = z.string().nullable().describe("The name of the key that wrote it; null if no key did.")
const paths = (which: string) => z.array(z.string()).describe(`Paths of files that ${which}.`)
const outcome = {
  added: paths("are new"),
  changed: paths("have another text"),
  removed: paths("are gone"),
  breaks: z
    .array(
      z.object({
        kind: z.enum(["hook", "schedule", "agent", "flow"]).describe("What breaks."),
        id: z.string().describe("Its id."),
        name: z.string().exactOptional().describe("Its name, if it has one."),
        flow: z.string().describe("The flow that it starts; of an agent, `@subagent/NAME`."),
        why: z.string().describe("Why it can no longer start."),
      }),
    )
    .describe("Hooks, schedules, agents and flows that worked before and cannot start afterward; at most 1,000."),
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
        revision: z.number().describe("The newest revision that changed it."),
        at: Time.describe("When that was written."),
        by,
        action,
        overwritten: z.boolean().describe("Whether the apply would change the file again."),
      }),
    )
    .describe("Files that are not as the last apply left them; at most 2,000."),
  more: z.boolean().describe("Whether there are changes that are not listed."),
})

export const Gate = z.object({
  passed: z.boolean().describe("Whether the gate lets the apply through."),
  reached: z.array(z.string()).describe("Gated flows that the apply reaches."),
  report: JsonObject.describe("The flows that it would break, with their tests, as in the refusal `gate_failed`."),
  passed_over: z
    .array(
      z.object({
        flow: z.string().describe("The gated flow."),
        run: z.string().describe("The recorded run."),
        message: z.string().describe("Why it could not be tried."),
      }),
    )
    .exactOptional()
    .describe("Recorded runs that could not be tried, so they protect nothing."),
})

export const CatalogPlan = z.object({
  revision: z.number().describe("The catalog's current revision."),
  diagnostics: diagnosticsByPath,
  ...outcome,
  drift: Drift.describe("What others have changed since the project's last apply."),
  gate: Gate.describe("What the gate says."),
})
export type CatalogPlan = z.output<typeof CatalogPlan>

const before = z.string().nullable().describe("Hash of the file before; null if there was none.")
const after = z.string().nullable().describe("Hash of the file after; null if it was removed.")

export const Revision = z.object({
  revision: z.number().describe("The revision's number."),
  at: Time.describe("When it was written."),
  by,
  action,
  target: z.number().exactOptional().describe("For a rollback: the revision whose content was restored."),
  forced: z.literal(true).exactOptional().describe("An admin wrote past the gate."),
  changed: z.number().describe("How many files changed."),
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
        segment: z.number().describe("Steps of one segment run side by side; segments are in file order."),
        max_iterations: z.number().exactOptional().describe("How often the step may loop."),
      }),
    )
    .describe("The steps."),
  edges: z
    .array(
      z.object({
        from: z.string().describe("The step that the edge leaves."),
        to: z.string().describe("The step that it leads to."),
        kind: z.string().describe("Why the run goes there: a branch, a route such as `on_error`, `blockedBy`, or `next`."),
        label: z.string().exactOptional().describe("The label of a branch."),
      }),
    )
    .describe("The ways between them."),
  start: z
    .object({
      description: z.string().describe("What the flow is for."),
      inputs: z
        .record(
          z.string(),
          z.object({
            type: z.enum(["string", "number", "boolean", "object", "array"]).describe("The JSON type."),
            required: z.boolean().describe("Whether a start must give it."),
            default: z.json().exactOptional().describe("What it is if a start does not give it."),
            description: z.string().exactOptional().describe("What it is for."),
          }),
        )
        .describe("Name → input."),
      task_required: z.boolean().describe("Whether a start must give a task."),
      task_prompt: z.string().exactOptional().describe("What the flow asks for as its task."),
    })
    .describe("What a run of the flow is started with, for a form."),
})

export const Verdict = z.object({
  valid: z.boolean().describe("Whether the text is free of errors."),
  diagnostics,
  graph: Graph.exactOptional().describe("Of a flow whose text loads: its nodes and edges, for drawing, and what a start gives it."),
})
export type Verdict = z.output<typeof Verdict>

export const FlowCheck = z.object({
  valid: z.boolean().describe("Whether the flow is free of errors."),
  diagnostics: z.array(Diagnostic).exactOptional().describe("What is wrong with the flow."),
  models: z.record(z.string(), z.string()).describe("Agent → the model that it would use."),
  missing: z.array(z.string()).exactOptional().describe("Agents for which no model is configured."),
  proof: JsonObject.exactOptional().describe("What holds for every run: reachable steps, ends, model calls, cost."),
})

export const ImportReport = z.object({
  written: z.boolean().describe("Whether anything was written."),
  counts: z
    .object({
      imported: z.number().describe("Files taken as they are."),
      changed: z.number().describe("Files taken with changes."),
      refused: z.number().describe("Files left out."),
    })
    .describe("How many files of each status."),
  data: z
    .array(
      z.object({
        path: z.string().describe("The path as it was sent."),
        kind: z.string().describe("What the file defines; `other` if it is nothing that the catalog knows."),
        status: z.enum(["imported", "changed", "refused"]).describe("What happens to the file."),
        target: z.string().exactOptional().describe("Its path in the catalog."),
        changes: z.array(z.string()).describe("What was changed in it, in words."),
        diagnostics: z.array(Diagnostic).describe("What is wrong with it; lines are those of the file as it is stored."),
        replaces: z.literal(true).exactOptional().describe("It takes the place of a stored file."),
        tokens: z.number().exactOptional().describe("Of an agent and a SKILL.md: about how many tokens its text takes in a prompt."),
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
  agents: z.number().describe("How many agents it has."),
  flows: z.number().describe("How many flows it has."),
  skills: z.number().describe("How many skills it has."),
  diagnostics: z.array(Diagnostic).describe("What is wrong with its files."),
})
export type PackageRow = z.output<typeof Package>
export const PackageWhole = z.object({
  ...packageFields,
  diagnostics: z.array(Diagnostic).describe("What is wrong with its files."),
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
        archive: "In place of `files`: a zip archive in base64.",
        only: "Paths of the files that are imported; all, if absent.",
      },
    ],
    [PackageBody, { version: "The package's version, such as `1.2.0`.", ...DEFINITION_FIELDS }],
    [PackageWhole, DEFINITION_FIELDS],
    [RollbackBody, { revision: "The revision whose content to restore." }],
    [
      ValidateBody,
      { kind: "What the text defines.", content: "The text.", path: "Where it would be stored, for checks of names and paths." },
    ],
  ],
})
