// Describes the API's answers about tools and shared files.

import { z } from "zod"
import { ContentPart } from "../../core/run/event-parts.ts"
import { OpenApiFile } from "../../core/project/openapi-import.ts"
import { Registration } from "../../core/tool/http-tool.ts"
import { documented, JsonObject, type FieldTexts } from "./shape.doc.ts"
import { ImportToolsBody } from "../tools.ts"

const tool = {
  name: z.string().describe("The tool's name."),
  label: z.string().exactOptional().describe("The display name."),
  description: z.string().describe("What the tool does; models read it."),
  parameters: JsonObject.describe("JSON Schema of the arguments."),
  effect: z
    .enum(["none", "read", "write"])
    .describe("The effect of a call outside: `none` touches nothing, `read` only reads, `write` changes something."),
  untrusted: z.boolean().describe("Whether its results come from outside and taint their readers."),
  render: JsonObject.exactOptional().describe("The display of a call and its result: which argument or detail is shown where."),
  contexts: z.array(z.string()).describe("The contexts of calls: `main` is outside a run, `agent` is an agent's session."),
  judged: z
    .object({
      same: z.string().exactOptional().describe("The name under which rules treat this tool."),
      groups: z.array(z.string()).exactOptional().describe("The tool's groups, which rules name as `group:NAME`."),
      approval: z.json().exactOptional().describe("The tool's own approval rule."),
      reach: JsonObject.exactOptional().describe(
        "The target of a call that leaves the run: `to` is a `host`, the `arg` that has the URL, or `within: tenant` for what other runs see, and `method` is `fixed`, or an `arg` with a `fallback`.",
      ),
    })
    .exactOptional()
    .describe("For a key with the scope admin: the facts besides the name, `effect` and the arguments by which the policy judges calls."),
}
export const Tool = z.object(tool)
const source = z
  .object({
    kind: z.enum(["http", "mcp"]).describe("`http`: it sends a request; `mcp`: an MCP server has it."),
    name: z.string().describe("The host of its requests, or the name of the server."),
  })
  .describe("Where a registered tool comes from; absent: it is built in.")
export const ToolWritten = z.object({
  ...tool,
  warnings: z.array(z.json()).exactOptional().describe("Weaknesses of the definition that may mislead models."),
})
export const ToolRowShape = z.union([
  z.object({
    ...tool,
    available: z.boolean().describe("Whether this key can call the tool here."),
    reason: z.string().exactOptional().describe("Why the tool cannot be called."),
    source: source.exactOptional(),
  }),
  z.object({
    name: z.string().describe("The tool's name."),
    available: z.literal(false).describe("This instance lacks what the tool needs."),
    reason: z.string().describe("The missing binding or setting."),
  }),
])
/** A registered tool with its definition, for a key with the scope admin. */
export const ToolDetail = z.union([
  z.object({
    ...tool,
    available: z.boolean().describe("Whether this key can call the tool here."),
    reason: z.string().exactOptional().describe("Why the tool cannot be called."),
    kind: z.enum(["http", "mcp"]).exactOptional().describe("For a registered tool: its kind."),
    request: JsonObject.exactOptional().describe("For an HTTP tool: method, URL, headers and body."),
    auth: JsonObject.exactOptional().describe("The name (scope) of the secret in the vault that the tool sends, and how; never the value."),
    approval: z.json().exactOptional().describe("When a call needs a person's approval."),
    timeout: z.number().exactOptional().describe("The timeout of a call in milliseconds."),
    truncate: z.enum(["head", "tail"]).exactOptional().describe("The part of a long result that is kept."),
    server: z.string().exactOptional().describe("For a tool of an MCP server: the server."),
    tool: z.string().exactOptional().describe("The tool's name on that server."),
    url: z.string().exactOptional().describe("The address of that server."),
    idempotent: z.boolean().exactOptional().describe("Whether repeating a call has no further effect."),
  }),
  z.object({
    name: z.string().describe("The tool's name."),
    available: z.literal(false).describe("This instance lacks what the tool needs."),
    reason: z.string().describe("The missing binding or setting."),
  }),
])
/** A tool that this instance lacks has only a name and a reason. */
export interface ToolRow {
  readonly name: string
  readonly description?: string
  readonly parameters?: z.output<typeof JsonObject>
  readonly effect?: "none" | "read" | "write"
  readonly judged?: NonNullable<z.output<typeof Tool>["judged"]>
  readonly available: boolean
  readonly reason?: string
  readonly source?: z.output<typeof source>
}

const Skipped = z.object({
  operation: z.string().describe("The operation's method and path."),
  reason: z.string().describe("Why the operation is left out."),
})

export const ToolsImported = z.object({
  registered: z.array(Tool).describe("The tools that were registered."),
  skipped: z.array(Skipped).describe("The operations that were left out, and why."),
})

export type ToolsImported = z.output<typeof ToolsImported>

export const ToolsPreview = z.object({
  tools: z
    .array(
      z.object({
        name: z.string().describe("The tool's name."),
        id: z.string().describe("The operation's name for `only`."),
        operation: z.string().describe("The operation's method and path."),
        description: z.string().describe("The description in the document; cut after 200 characters."),
        effect: z.string().describe("The effect of a call outside: `none`, `read` or `write`."),
        host: z.string().describe("The target of calls."),
        tokens: z.number().describe("The approximate number of its tokens in a prompt."),
      }),
    )
    .describe("The tools that would be registered."),
  tokens: z.number().describe("The total number of tokens."),
  skipped: z.array(Skipped).describe("The operations that would be left out, and why."),
})

export type ToolsPreview = z.output<typeof ToolsPreview>

export const ToolAnswer = z
  .object({
    content: z.array(ContentPart).describe("The content for the model."),
    details: z.json().describe("The result as data."),
    isError: z.boolean().exactOptional().describe("True if the tool failed."),
  })
  .describe("agent_catalog, agent_write and flow_write return only their details.")
export const ToolCalled = z.union([ToolAnswer, JsonObject, z.array(JsonObject)])

export const ObjectRow = z.object({
  key: z.string().describe("The file's path."),
  size: z.number().describe("Bytes."),
})
export type ObjectRow = z.output<typeof ObjectRow>
export const ObjectWritten = z.object({
  key: z.string().describe("The file's path."),
  size: z.number().describe("Bytes."),
  untrusted: z.boolean().describe("Whether the text comes from outside and taints its readers."),
})
export type ObjectWritten = z.output<typeof ObjectWritten>

/** How requests of a registered tool or to an MCP server send a secret. */
export const AUTH_FIELDS: FieldTexts = {
  scope: "The name (scope) of the secret in the vault; its newest value is sent.",
  header: "The header of the secret; `authorization` by default.",
  scheme: "The prefix of the value; `Bearer` by default.",
}
const IMPORT_FIELDS: FieldTexts = {
  prefix: "The prefix of the tools' names.",
  server: "The server to call instead of those in the document.",
  auth: ["How requests send a secret.", AUTH_FIELDS],
  only: "The operation ids to register; by default all.",
}

const CONTENT_FIELDS: FieldTexts = {
  type: "The type of the part.",
  text: "The text.",
  data: "The image, in base64.",
  mimeType: "The image's media type.",
}

const WEATHER = {
  name: "weather",
  description: "Answers the current weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  effect: "read",
  untrusted: true,
  contexts: ["main", "agent"],
} satisfies z.input<typeof Tool>
const ANSWER = {
  content: [{ type: "text", text: "Berlin: 9 °C, rain" }],
  details: { city: "Berlin", celsius: 9 },
} satisfies z.input<typeof ToolAnswer>

export const toolsDoc = documented({
  parameters: { tool: { description: "The tool's name.", example: "weather" } },
  shapes: {
    ContentPart,
    ImportToolsBody,
    ObjectRow,
    ObjectWritten,
    Registration,
    Tool,
    ToolAnswer,
    ToolCalled,
    ToolDetail,
    ToolRow: ToolRowShape,
    ToolsImported,
    ToolsPreview,
    ToolWritten,
  },
  examples: {
    ImportToolsBody: { openapi: "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths: {}\n", prefix: "shop_", only: ["listOrders"] },
    ObjectRow: { key: "reports/2026-11.csv", size: 48_211 },
    ObjectWritten: { key: "reports/2026-11.csv", size: 48_211, untrusted: false },
    Registration: {
      description: WEATHER.description,
      parameters: WEATHER.parameters,
      request: { method: "GET", url: "https://api.weather.example/v1/now?city=${{city}}" },
      auth: { scope: "weather" },
      timeout: "10s",
    },
    Tool: WEATHER,
    ToolAnswer: ANSWER,
    ToolCalled: ANSWER,
    ToolDetail: { ...WEATHER, available: true },
    ToolRow: { ...WEATHER, available: true },
    ToolsImported: { registered: [{ ...WEATHER, name: "shop_listOrders" }], skipped: [] },
    ToolsPreview: {
      tools: [
        {
          name: "shop_listOrders",
          id: "listOrders",
          operation: "GET /orders",
          description: "Lists orders.",
          effect: "read",
          host: "api.shop.example",
          tokens: 96,
        },
      ],
      tokens: 96,
      skipped: [],
    },
    ToolWritten: WEATHER,
  },
  fields: [
    [
      ImportToolsBody,
      {
        openapi: "The OpenAPI document, as an object or as YAML or JSON text. Required unless there is a `url`.",
        url: "The address of the document. Server addresses without a host are relative to it.",
        ...IMPORT_FIELDS,
      },
    ],
    [
      OpenApiFile,
      {
        openapi: "The OpenAPI document: the name of a file beside this one, or the document itself, as an object or as text.",
        ...IMPORT_FIELDS,
      },
    ],
    [
      Registration,
      {
        label: "The display name.",
        description: "What the tool does; models read it.",
        parameters: "JSON Schema of the arguments; an object.",
        request: [
          "The request of a call.",
          {
            method: "The HTTP method.",
            url: "The address; `${{args.NAME}}` inserts an argument in the path or the query.",
            headers: "Headers to send; `${{args.NAME}}` inserts an argument.",
            body: "The body to send; `${{args.NAME}}` inserts an argument.",
            styles: [
              "The styles of arguments that are lists or objects.",
              {
                query: "The styles of arguments in the query, by name.",
                body: "The styles of a form's members, by name.",
              },
            ],
          },
        ],
        auth: ["How requests send a secret.", AUTH_FIELDS],
        effect: "The effect of a call outside; by default `read` for GET and HEAD, otherwise `write`.",
        idempotent: "Whether the service recognizes repeated requests by their Idempotency-Key.",
        simulate: "The result that the model sees in a staged or dry run; `${{args.NAME}}` inserts an argument.",
        undo: [
          "The request that undoes a call, at the same host; `${{args.NAME}}` and `${{result.NAME}}` insert values of the call and its result.",
          { method: "The HTTP method.", url: "The address.", headers: "Headers to send.", body: "The body to send." },
        ],
        untrusted: "Whether its results come from outside and taint their readers; true by default.",
        approval: "When a call needs a person's approval: `never`, `always`, or a condition.",
        timeout: "Milliseconds, or a duration such as `30s` or `5m`; 10 minutes at most.",
        truncate: "The end of a long result that is kept.",
        render: [
          "The display of calls and results.",
          {
            call: [
              "The call.",
              {
                label: "The display name.",
                action: "The argument with the action.",
                main: "The most informative argument.",
                hide: "Hidden arguments.",
                long: "Arguments shown below the line.",
              },
            ],
            result: [
              "The result.",
              {
                summary: "A template with `{place}` for details: `{matches} matches`.",
                items: "The path to a list in the details.",
                item: "A template for an item.",
                footer: "A template for a last line.",
              },
            ],
          },
        ],
      },
    ],
    [ContentPart, CONTENT_FIELDS],
  ],
})
