// Renders the OpenAPI document as a single static HTML page [H11], without scripts or external files. Sections fold by <details>.

import { isObject } from "../../core/json.ts"
import { STYLE } from "./page-style.ts"
import { escape, linkTo, typeText } from "./type-text.ts"

type Doc = Readonly<Record<string, unknown>>

interface Operation {
  readonly method: string
  readonly path: string
  readonly op: Doc
}

export function docsPage(document: Doc): string {
  const info = part(document, "info")
  const components = part(document, "components")
  const operations = operationsOf(document)
  const tags = list(document["tags"]).filter(isObject)
  const of = (tag: string): Operation[] => operations.filter(({ op }) => list(op["tags"])[0] === tag)
  const schemas = Object.entries(part(components, "schemas"))
  const nav = tags.map(({ name }) => `<b>${text(name)}</b>${of(String(name)).map(navLine).join("")}`).join("")
  const body = tags
    .map(
      ({ name, description }) =>
        `<h2 id="tag-${text(name)}">${text(name)}</h2><p class="soft">${text(description)}</p>${of(String(name))
          .map((one) => sectionOf(one, components))
          .join("")}`,
    )
    .join("")
  const shapes = schemas
    .map(
      ([name, schema]) =>
        `<section id="schema-${escape(name)}"><h3>${escape(name)}</h3><pre class="type">${typeText(schema)}</pre></section>`,
    )
    .join("")
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${text(info["title"])} API</title><style>${STYLE}</style></head>
<body><nav><a class="brand" href="#top">${text(info["title"])}</a><a href="openapi.json">openapi.json</a>${nav}<b>Shapes</b>${schemas
    .map(([name]) => linkTo(name))
    .join("")}</nav>
<main id="top"><h1>${text(info["title"])} API</h1><p class="soft">${text(info["summary"])} Version ${text(info["version"])}.</p><p>${marked(info["description"])}</p>
<pre>curl -s "$URL/v1/flows/triage/runs" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -H "Prefer: wait=30" -d '{"rehearse": true, "task": "The search box forgets what was typed."}'</pre>
${body}<h2 id="shapes">Shapes</h2>${shapes}</main></body></html>`
}

function operationsOf(document: Doc): Operation[] {
  return Object.entries(part(document, "paths")).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, op]) =>
      isObject(op) ? [{ method: method.toUpperCase(), path, op }] : [],
    ),
  )
}

const navLine = ({ method, op }: Operation): string =>
  `<a href="#${text(op["operationId"])}" title="${text(op["summary"])}"><span class="verb ${method}">${method}</span>${text(op["summary"])}</a>`

function sectionOf({ method, path, op }: Operation, components: Doc): string {
  const scope = op["x-scope"]
  const needs = typeof scope === "string" ? scope : list(op["security"]).length === 0 ? "no key" : "admin key"
  return `<section id="${text(op["operationId"])}"><h3>${text(op["summary"])}</h3><div class="line"><span class="verb ${method}">${method}</span><span class="path">${escape(path)}</span><span class="scope">${escape(needs)}</span></div><p>${marked(op["description"])}</p>${parametersOf(op)}${bodyOf(op, part(components, "schemas"))}${answersOf(op, part(components, "responses"))}</section>`
}

function parametersOf(op: Doc): string {
  const rows = list(op["parameters"])
    .filter(isObject)
    .map((p) => {
      if ("$ref" in p)
        return `<tr><td><code>Idempotency-Key</code></td><td class="soft">header</td><td>A repeated request gets the first answer and does nothing twice.</td></tr>`
      const description = p["description"] === undefined ? "" : marked(p["description"])
      return `<tr><td><code>${text(p["name"])}</code></td><td class="soft">${text(p["in"])}</td><td><span class="type">${typeText(p["schema"])}</span> ${description}</td></tr>`
    })
  return rows.length === 0 ? "" : `<h4>Parameters</h4><table>${rows.join("")}</table>`
}

/** Shows the shape of a request body in place; shapes of answers are links. */
function bodyOf(op: Doc, schemas: Doc): string {
  const body = op["requestBody"]
  if (!isObject(body)) return ""
  const parts = Object.entries(part(body, "content")).map(([type, media]) => {
    const schema = isObject(media) ? media["schema"] : undefined
    const name =
      isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"].slice(schema["$ref"].lastIndexOf("/") + 1) : undefined
    if (name === undefined || !isObject(schemas[name])) return contentOf({ [type]: media })
    return `<p><code>${escape(type)}</code> ${linkTo(name)}</p><pre class="type">${typeText(schemas[name])}</pre>`
  })
  return `<h4>Body${body["required"] === true ? "" : ", optional"}</h4>${parts.join("")}`
}

const contentOf = (content: Doc): string =>
  Object.entries(content)
    .map(([type, media]) => {
      const schema = isObject(media) ? media["schema"] : undefined
      return `<p><code>${escape(type)}</code> <span class="type">${schema === undefined ? "bytes" : typeText(schema)}</span></p>`
    })
    .join("")

function answersOf(op: Doc, shared: Doc): string {
  const rows: string[] = []
  const refusals: string[] = []
  for (const [status, given] of Object.entries(part(op, "responses"))) {
    if (!isObject(given)) continue
    const ref = given["$ref"]
    if (typeof ref !== "string") {
      rows.push(
        `<tr><td><code>${escape(status)}</code></td><td>${marked(given["description"])}${contentOf(part(given, "content"))}</td></tr>`,
      )
      continue
    }
    const refusal = part(shared, ref.slice(ref.lastIndexOf("/") + 1))
    refusals.push(`<tr><td><code>${escape(status)}</code></td><td>${marked(refusal["description"])}</td></tr>`)
  }
  const refused = refusals.length === 0 ? "" : `<details><summary>Refusals</summary><table>${refusals.join("")}</table></details>`
  return `<h4>Answers</h4><table>${rows.join("")}</table>${refused}`
}

const part = (of: Doc, name: string): Doc => {
  const found = of[name]
  return isObject(found) ? found : {}
}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === "string" ? escape(value) : "")
/** HTML of a text in which backticks mark code. */
const marked = (value: unknown): string => text(value).replace(/`([^`]+)`/g, "<code>$1</code>")
