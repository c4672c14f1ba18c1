// Serves what an MCP client can read [H12]: skills and the files of runs are listed; runs, flows and questions are templates. Everything is
// read over the API, so the key's scopes decide. A text is text, anything else base64.

import type { ListResourcesResult, ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server"
import { z } from "zod"
import { defined } from "../core/defined.ts"
import { toBase64 } from "../core/text/base64url.ts"
import type { McpCall } from "../ports/services.ts"
import { pageOf, type PageEntry } from "./page-of.ts"

const MAX_RUNS = 10 // limit: runs whose files MCP lists → older ones are read by the template
const MAX_FILES = 200 // limit: files of a run that MCP lists → the rest is read by the template
/** A message holds the whole resource. */
const MAX_BYTES = 4 * 1024 * 1024 // limit: bytes of an MCP resource → it is read over HTTP

/** A kind of resource: `template` is what clients see, `route` where the API has it. */
interface Shelf {
  readonly template: ResourceTemplateType
  readonly matches: RegExp
  readonly route: (parts: readonly string[]) => string
}

const PART = "([^/?#]+)"
const SHELVES: readonly Shelf[] = [
  {
    template: {
      uriTemplate: "sluice://runs/{run}/files/{+path}",
      name: "file of a run",
      description: "A file that a run wrote, by the run's id and its path",
    },
    matches: new RegExp(`^sluice://runs/${PART}/files/([^?#]+)$`),
    route: ([run, path]) => `/v1/runs/${run}/files/${path}`,
  },
  {
    template: { uriTemplate: "sluice://runs/{run}", name: "run", description: "A run as JSON: status, steps, output" },
    matches: new RegExp(`^sluice://runs/${PART}$`),
    route: ([run]) => `/v1/runs/${run}`,
  },
  {
    template: {
      uriTemplate: "sluice://skills/{skill}/{+file}",
      name: "file of a skill",
      description: "A skill's file; SKILL.md is its index",
    },
    matches: new RegExp(`^sluice://skills/${PART}/([^?#]+)$`),
    route: ([skill, file]) => `/v1/skills/${skill}/${file}`,
  },
  {
    template: { uriTemplate: "sluice://flows/{flow}", name: "flow", description: "A flow's YAML, by its id" },
    matches: new RegExp(`^sluice://flows/${PART}$`),
    route: ([flow]) => `/v1/flows/${flow}`,
  },
  {
    template: {
      uriTemplate: "sluice://questions/{question}",
      name: "question",
      description: "A question that was asked with ask_user, with its answer once there is one",
    },
    matches: new RegExp(`^sluice://questions/${PART}$`),
    route: ([question]) => `/v1/interactions/${question}`,
  },
]

export const TEMPLATES: ResourceTemplateType[] = SHELVES.map(({ template }) => template)

const path = (text: string): string => text.split("/").map(encodeURIComponent).join("/")

/** undefined: the cursor is invalid. */
export async function listResources(call: McpCall, cursor: string | undefined): Promise<ListResourcesResult | undefined> {
  const page = await pageOf([...(await skillFiles(call)), ...(await runFiles(call))], cursor)
  return page && { resources: page.data, ...defined({ nextCursor: page.nextCursor }) }
}

async function skillFiles({ caller, tenant }: McpCall): Promise<PageEntry<Resource>[]> {
  if (!caller.scopes.includes("catalog:read")) return []
  const { data } = await tenant.catalog.files("skill")
  return data.map(({ id, size }) => {
    const name = id.endsWith("/SKILL.md") ? id.slice(0, -"/SKILL.md".length) : id
    const mimeType = id.endsWith(".md") ? "text/markdown" : "text/plain"
    return { place: `0 ${id}`, entry: async () => ({ uri: `sluice://skills/${path(id)}`, name, title: `Skill ${name}`, mimeType, size }) }
  })
}

const Runs = z.object({ data: z.array(z.object({ id: z.string(), flow: z.string() })) })

/** By place: the newest run's files first. */
async function runFiles(call: McpCall): Promise<PageEntry<Resource>[]> {
  const answer = call.caller.scopes.includes("runs:read") ? await call.ask("GET", `/v1/runs?limit=${MAX_RUNS}`) : undefined
  if (answer?.ok !== true) return []
  const { data } = Runs.parse(await answer.json())
  const files = await Promise.all(data.map(async ({ id }) => (await call.tenant.run(id).files()) ?? []))
  return data.flatMap(({ id, flow }, n) =>
    (files[n] ?? []).slice(0, MAX_FILES).map(({ path: file, size }) => ({
      place: `1 ${n} ${file}`,
      entry: async () => ({ uri: `sluice://runs/${id}/files/${path(file)}`, name: file, title: `${file} of ${flow}`, size }),
    })),
  )
}

/** Reads a resource; undefined: this key sees none. A string is the reason why it cannot be read. */
export async function readResource(call: McpCall, uri: string): Promise<ReadResourceResult | string | undefined> {
  const route = routeOf(uri)
  const answer = route === undefined ? undefined : await call.ask("GET", route)
  if (answer === undefined || answer.status === 404 || answer.status === 422) return undefined
  if (answer.status === 403) return "the key lacks the scope to read it"
  if (!answer.ok) throw new Error(`reading a resource answered ${answer.status}`)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (bytes.byteLength > MAX_BYTES) return `it is larger than ${MAX_BYTES / 1024 / 1024} MiB: read it with GET ${call.at(route ?? "")}`
  const mimeType = (answer.headers.get("content-type") ?? "application/octet-stream").split(";")[0] ?? ""
  const isText = mimeType.startsWith("text/") || /[/+](?:json|yaml)$/.test(mimeType)
  return { contents: [isText ? { uri, mimeType, text: new TextDecoder().decode(bytes) } : { uri, mimeType, blob: toBase64(bytes) }] }
}

/** Each part is decoded and encoded again, so what a client sends is never more than a name in the API's path. */
function routeOf(uri: string): string | undefined {
  for (const { matches, route } of SHELVES) {
    const parts = matches.exec(uri)?.slice(1).map(decoded)
    if (parts === undefined) continue
    const names = parts.filter((part) => part !== undefined)
    const isSafe = names.length === parts.length && !names.some((part) => part.split("/").some((name) => /^\.{0,2}$/.test(name)))
    return isSafe ? route(names.map(path)) : undefined
  }
  return undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
