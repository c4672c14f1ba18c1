// What the API answers about the catalog, the architect and tools, as schemas; shapes.ts says how they are meant.

import { z } from "zod"
import { ContentPart } from "../../core/run/event.ts"
import { BUNDLE } from "../catalog/bundle.ts"
import { Diagnostic, JsonObject, StepTool, Time } from "./shapes.ts"

const kind = z.enum(["flow", "agent", "skill", "rehearsal", "code"])
const tier = z.enum(["local", "package", "built-in"])
const hash = z.string().describe("SHA-256, hexadecimal")
const diagnostics = z.array(Diagnostic)

export const CatalogFile = z.object({
  kind,
  id: z.string(),
  path: z.string(),
  tier,
  package: z.string().exactOptional(),
  hash,
  size: z.number(),
  description: z.string().exactOptional(),
  diagnostics,
})

const page = { next_cursor: z.string().nullable() }
export const CatalogList = z.object({ data: z.array(CatalogFile), ...page, revision: z.number() })

export const Definition = z.object({
  id: z.string(),
  path: z.string(),
  tier,
  package: z.string().exactOptional(),
  hash,
  content: z.string(),
  diagnostics,
})

export const Written = z.object({ written: z.boolean(), path: z.string(), diagnostics, error: z.string().exactOptional() })
export const Verdict = z.object({ valid: z.boolean(), diagnostics })
export const Bundle = z.object(BUNDLE)
export const Replaced = z.object({ revision: z.number(), diagnostics: z.record(z.string(), diagnostics) })

export const Revision = z.object({
  revision: z.number(),
  at: Time,
  by: z.string().nullable(),
  action: z.enum(["write", "remove", "replace", "rollback", "register", "unregister"]),
  target: z.number().exactOptional(),
  changed: z.number(),
  changes: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
})

export const Diff = z.object({
  from: z.number(),
  to: z.number(),
  data: z.array(
    z.object({
      path: z.string(),
      status: z.enum(["added", "removed", "changed"]),
      before: z.string().nullable(),
      after: z.string().nullable(),
      diff: z.string().exactOptional(),
    }),
  ),
})

export const Graph = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      agent: z.string().exactOptional(),
      flow: z.string().exactOptional(),
      description: z.string().exactOptional(),
      segment: z.number(),
      max_iterations: z.number().exactOptional(),
    }),
  ),
  edges: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string(), label: z.string().exactOptional() })),
})

export const FlowCheck = z.object({
  valid: z.boolean(),
  diagnostics: diagnostics.exactOptional(),
  models: z.record(z.string(), z.string()),
  missing: z.array(z.string()).exactOptional(),
  proof: JsonObject.exactOptional(),
})

export const ImportReport = z.object({
  written: z.boolean(),
  counts: z.object({ imported: z.number(), changed: z.number(), refused: z.number() }),
  data: z.array(
    z.object({
      path: z.string(),
      kind: z.string(),
      status: z.enum(["imported", "changed", "refused"]),
      target: z.string().exactOptional(),
      changes: z.array(z.string()),
      diagnostics,
    }),
  ),
})

export const Package = z.object({
  name: z.string(),
  version: z.string(),
  hash,
  agents: z.number(),
  flows: z.number(),
  skills: z.number(),
  diagnostics,
})
export const PackageWhole = z.object({ name: z.string(), version: z.string(), hash, diagnostics, ...BUNDLE })
export const PackageWritten = z.object({
  name: z.string(),
  version: z.string(),
  hash,
  revision: z.number(),
  diagnostics: z.record(z.string(), diagnostics),
})

const status = z.enum(["working", "ready", "failed", "accepted", "discarded"])
const urls = z.object({ self: z.string(), accept: z.string(), revise: z.string(), run: z.string(), events: z.string() })

export const ArchitectSession = z.object({
  id: z.string(),
  status,
  task: z.string(),
  flow: z.string().exactOptional(),
  iteration: z.number(),
  run: z.string(),
  summary: z.string().exactOptional(),
  error: z.object({ message: z.string() }).exactOptional(),
  revision: z.number().exactOptional(),
  valid: z.boolean(),
  files: z.array(
    z.object({
      path: z.string(),
      change: z.enum(["added", "changed"]),
      hash,
      diagnostics,
      moved: z.object({ base: z.string().nullable(), current: z.string().nullable() }).exactOptional(),
    }),
  ),
  diff: z.record(z.string(), z.string()),
  created: Time,
  updated: Time,
  urls,
})
export const ArchitectRow = z.object({
  id: z.string(),
  status,
  task: z.string(),
  flow: z.string().exactOptional(),
  iteration: z.number(),
  run: z.string(),
  files: z.number(),
  created: Time,
  updated: Time,
})
export const ArchitectBegun = z.object({ id: z.string(), status: z.literal("working"), iteration: z.number(), run: z.string(), urls })
export const Accepted = z.object({
  id: z.string(),
  status: z.literal("accepted"),
  revision: z.number(),
  paths: z.array(z.string()),
})

export const AgentTool = StepTool

const tool = {
  name: z.string(),
  label: z.string().exactOptional(),
  description: z.string(),
  parameters: JsonObject.describe("JSON Schema of the arguments"),
  effect: z.enum(["none", "read", "write"]),
  untrusted: z.boolean(),
  contexts: z.array(z.string()),
}
export const Tool = z.object(tool)
export const ToolWritten = z.object({ ...tool, warnings: z.array(z.json()).exactOptional() })
export const ToolRow = z.union([
  z.object({ ...tool, available: z.boolean(), reason: z.string().exactOptional() }),
  z.object({ name: z.string(), available: z.literal(false), reason: z.string() }),
])
export const ToolsImported = z.object({
  registered: z.array(Tool),
  skipped: z.array(z.json()),
})

export const ToolAnswer = z
  .object({ content: z.array(ContentPart), details: z.json(), isError: z.boolean().exactOptional() })
  .describe("agent_catalog, agent_write and flow_write answer their details alone")

export const ObjectRow = z.object({ key: z.string(), size: z.number() })
export const ObjectWritten = z.object({ key: z.string(), size: z.number(), untrusted: z.boolean() })

const McpTool = z.object({
  name: z.string(),
  label: z.string().exactOptional(),
  description: z.string(),
  parameters: JsonObject,
  effect: z.string(),
})
export const McpServer = z.object({
  name: z.string(),
  url: z.string(),
  auth: z.object({ scope: z.string(), header: z.string().exactOptional(), scheme: z.string().exactOptional() }).exactOptional(),
  effect: z.string().exactOptional(),
  untrusted: z.boolean().exactOptional(),
  approval: z.json().exactOptional(),
  allow: z.array(z.string()).exactOptional(),
  timeout: z.number().exactOptional(),
  hash,
  tools: z.array(McpTool),
  checked: Time,
  left_out: z.array(z.object({ tool: z.string(), reason: z.string() })),
  pending: z
    .object({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
      hash,
      tools: z.array(McpTool),
    })
    .exactOptional(),
})

export const NAMED_OF_CATALOG: Readonly<Record<string, z.ZodType>> = {
  ArchitectRow,
  ArchitectSession,
  Bundle,
  CatalogFile,
  Definition,
  Diff,
  FlowCheck,
  Graph,
  ImportReport,
  McpServer,
  McpTool,
  ObjectRow,
  Package,
  Revision,
  Tool,
  ToolAnswer,
  ToolRow,
  Verdict,
  Written,
}
