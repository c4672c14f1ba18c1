// Describes the API's answers about tools and shared files.

import { z } from "zod"
import { ContentPart } from "../../core/run/event-parts.ts"
import { Registration } from "../../core/tool/http-tool.ts"
import { documented, JsonObject, type FieldTexts } from "./shape.doc.ts"
import { ImportToolsBody } from "../tools.ts"

const tool = {
  name: z.string().describe("The tool's name."),
  label: z.string().exactOptional().describe("A name for people."),
  description: z.string().describe("What the tool does; models read it."),
  parameters: JsonObject.describe("JSON Schema of the arguments."),
  effect: z
    .enum(["none", "read", "write"])
    .describe("What a call does outside: `none` touches nothing, `read` only reads, `write` changes something."),
  untrusted: z.boolean().describe("Whether its answers come from outside and taint their readers."),
  render: JsonObject.exactOptional().describe("How a call and its result look to people: which argument and which detail goes where."),
  contexts: z.array(z.string()).describe("Where it can be called: `main` is outside a run, `agent` is an agent's session."),
  judged: z
    .object({
      same: z.string().exactOptional().describe("The tool that it is for rules by name."),
      groups: z.array(z.string()).exactOptional().describe("Its groups, which rules name as `group:NAME`."),
      approval: z.json().exactOptional().describe("Its own rule of approval."),
      reach: JsonObject.exactOptional().describe(
        "Where a call goes when it leaves the run: `to` is a `host`, the `arg` that has the URL, or `within: tenant` for what other runs see, and `method` is `fixed`, or an `arg` with a `fallback`.",
      ),
    })
    .exactOptional()
    .describe("For a key with the scope admin: what the policy judges its calls by, besides the name, `effect` and the arguments."),
}
export const Tool = z.object(tool)
export const ToolWritten = z.object({
  ...tool,
  warnings: z.array(z.json()).exactOptional().describe("What models may misread in the definition."),
})
export const ToolRowShape = z.union([
  z.object({
    ...tool,
    available: z.boolean().describe("Whether this key can call it here."),
    reason: z.string().exactOptional().describe("Why it cannot be called."),
  }),
  z.object({
    name: z.string().describe("The tool's name."),
    available: z.literal(false).describe("This instance lacks what the tool needs."),
    reason: z.string().describe("What is missing."),
  }),
])
/** What a registered tool was registered with, for a key with the scope admin. */
export const ToolDetail = z.union([
  z.object({
    ...tool,
    available: z.boolean().describe("Whether this key can call it here."),
    reason: z.string().exactOptional().describe("Why it cannot be called."),
    kind: z.enum(["http", "mcp"]).exactOptional().describe("For a registered tool: its kind."),
    request: JsonObject.exactOptional().describe("For an HTTP tool: method, URL, headers and body."),
    auth: JsonObject.exactOptional().describe("The scope of the vault whose value the tool sends, and how; never the value."),
    approval: z.json().exactOptional().describe("When a call needs a person's approval."),
    timeout: z.number().exactOptional().describe("Milliseconds that a call may take."),
    truncate: z.enum(["head", "tail"]).exactOptional().describe("Which part of a long answer is kept."),
    server: z.string().exactOptional().describe("For a tool of an MCP server: the server."),
    tool: z.string().exactOptional().describe("Its name on that server."),
    url: z.string().exactOptional().describe("The address of that server."),
    idempotent: z.boolean().exactOptional().describe("Whether repeating a call has no further effect."),
  }),
  z.object({
    name: z.string().describe("The tool's name."),
    available: z.literal(false).describe("This instance lacks what the tool needs."),
    reason: z.string().describe("What is missing."),
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
}

const Skipped = z.object({
  operation: z.string().describe("Its method and path."),
  reason: z.string().describe("Why it is left out."),
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
        id: z.string().describe("What `only` names the operation by."),
        operation: z.string().describe("Its method and path."),
        description: z.string().describe("What it does, in the document's words; cut after 200 characters."),
        effect: z.string().describe("What a call changes outside: `none`, `read` or `write`."),
        host: z.string().describe("Where calls go."),
        tokens: z.number().describe("About how many tokens it takes in a prompt."),
      }),
    )
    .describe("The tools that would be registered."),
  tokens: z.number().describe("Of all of them together."),
  skipped: z.array(Skipped).describe("The operations that would be left out, and why."),
})

export type ToolsPreview = z.output<typeof ToolsPreview>

export const ToolAnswer = z
  .object({
    content: z.array(ContentPart).describe("What a model reads."),
    details: z.json().describe("The same as data."),
    isError: z.boolean().exactOptional().describe("True if the tool failed."),
  })
  .describe("agent_catalog, agent_write and flow_write answer their details alone.")
export const ToolCalled = z.union([ToolAnswer, JsonObject, z.array(JsonObject)])

export const ObjectRow = z.object({
  key: z.string().describe("The file's path."),
  size: z.number().describe("Bytes."),
})
export type ObjectRow = z.output<typeof ObjectRow>
export const ObjectWritten = z.object({
  key: z.string().describe("The file's path."),
  size: z.number().describe("Bytes."),
  untrusted: z.boolean().describe("Whether its text comes from outside and taints its readers."),
})
export type ObjectWritten = z.output<typeof ObjectWritten>

/** How a request carries a secret: of a registered tool, and of an MCP server. */
export const AUTH_FIELDS: FieldTexts = {
  scope: "The scope of the vault; its newest value is sent.",
  header: "The header that carries it; `authorization` by default.",
  scheme: "The word before the value; `Bearer` by default.",
}
const CONTENT_FIELDS: FieldTexts = {
  type: "What the part is.",
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
        openapi: "The OpenAPI document, as an object or as YAML or JSON text. Either this or `url`.",
        url: "Where the document is. Servers that it names without a host are at this address.",
        prefix: "What each tool's name starts with.",
        server: "The server to call, in place of those that the document names.",
        auth: "How requests carry a secret, as in PUT /v1/tools/{tool}.",
        only: "The operation ids to register; without it, all of them.",
      },
    ],
    [
      Registration,
      {
        label: "A name for people.",
        description: "What the tool does; models read it.",
        parameters: "JSON Schema of the arguments; an object.",
        request: [
          "The request that a call makes.",
          {
            method: "The HTTP method.",
            url: "The address; `${{name}}` inserts an argument in the path or the query.",
            headers: "Headers to send; `${{name}}` inserts an argument.",
            body: "The body to send; `${{name}}` inserts an argument.",
            styles: [
              "How arguments that are lists or objects are written.",
              {
                query: "Of arguments in the query, by name.",
                body: "Of the members of a form, by name.",
              },
            ],
          },
        ],
        auth: ["How requests carry a secret.", AUTH_FIELDS],
        effect: "What a call changes outside; `read` for GET and HEAD, otherwise `write` by default.",
        idempotent: "Whether the service answers a request that it has had before, by its Idempotency-Key, without doing it again.",
        simulate: "What the model of a staged or dry run reads in place of an answer; `${{args.NAME}}` inserts an argument.",
        undo: [
          "The request that takes a call back, at the same host; `${{args.NAME}}` and `${{result.NAME}}` insert from the call and its answer.",
          { method: "The HTTP method.", url: "The address.", headers: "Headers to send.", body: "The body to send." },
        ],
        untrusted: "Whether its answers come from outside and taint their readers; true by default.",
        approval: "When a call needs a person's approval: `never`, `always`, or a condition.",
        timeout: "Milliseconds, or a duration such as `30s` or `5m`; 10 minutes at most.",
        truncate: "Which end of a long answer is kept.",
        render: [
          "How calls and results look to people.",
          {
            call: [
              "The call.",
              {
                label: "A name for people.",
                action: "The argument that says what the call does.",
                main: "The most informative argument.",
                hide: "Arguments that are not shown.",
                long: "Arguments that are shown below the line.",
              },
            ],
            result: [
              "The result.",
              {
                summary: "A template with `{place}` for details: `{matches} matches`.",
                items: "The place of a list.",
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
