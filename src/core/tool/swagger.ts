// Converts Swagger 2.0 to the same parts of OpenAPI 3 [T26], operation by operation: schemes, host and base path become a server, the
// parameters of a body and of a form become a request body. References stay where they are, under `definitions` and `parameters`.

import { parametersOf } from "./openapi-parameter.ts"

type Part = Record<string, unknown>

export const isSwagger = (root: Part): boolean => root["swagger"] === "2.0" || root["swagger"] === 2

/** The servers of the document. */
export function swaggerServers(root: Part): readonly Part[] {
  const host = root["host"]
  if (typeof host !== "string" || host === "") return []
  const schemes = textsOf(root["schemes"])
  const scheme = schemes.includes("https") || schemes.length === 0 ? "https" : (schemes[0] ?? "https")
  const base = typeof root["basePath"] === "string" && root["basePath"] !== "/" ? root["basePath"] : ""
  return [{ url: `${scheme}://${host}${base}` }]
}

/** The operation with all of its parameters, as OpenAPI 3 writes it. */
export function swaggerOperation(root: Part, item: Part, operation: Part): Part {
  const parameters = parametersOf(root, item, operation)
  const plain = parameters.flatMap((parameter) =>
    parameter["in"] === "body" || parameter["in"] === "formData" ? [] : [plainOf(parameter)],
  )
  const body = parameters.find((parameter) => parameter["in"] === "body")
  const fields = parameters.filter((parameter) => parameter["in"] === "formData")
  const consumes = textsOf(operation["consumes"] ?? root["consumes"])
  const { consumes: _, ...rest } = operation
  if (body !== undefined) {
    const type = consumes.find((one) => /json/i.test(one)) ?? consumes[0] ?? "application/json"
    return {
      ...rest,
      parameters: plain,
      requestBody: { ...about(body), required: body["required"] === true, content: { [type]: { schema: body["schema"] } } },
    }
  }
  if (fields.length === 0) return { ...rest, parameters: plain }
  const isMultipart = fields.some((field) => field["type"] === "file") || !consumes.some((one) => /urlencoded/i.test(one))
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [String(field["name"]), schemaOf(field)])),
    required: fields.flatMap((field) => (field["required"] === true ? [field["name"]] : [])),
  }
  const type = isMultipart && consumes.some((one) => /multipart/i.test(one)) ? "multipart/form-data" : "application/x-www-form-urlencoded"
  return { ...rest, parameters: plain, requestBody: { required: schema.required.length > 0, content: { [type]: { schema } } } }
}

/** How each `collectionFormat` is written in OpenAPI 3. */
const STYLES: Readonly<Record<string, Part>> = {
  csv: { explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
}

function plainOf(parameter: Part): Part {
  const { name, in: place, required, description } = parameter
  const format = typeof parameter["collectionFormat"] === "string" ? parameter["collectionFormat"] : "csv"
  const style = parameter["type"] === "array" && Object.hasOwn(STYLES, format) ? STYLES[format] : {}
  return { name, in: place, required, description, schema: schemaOf(parameter), ...style }
}

const OF_PARAMETER: ReadonlySet<string> = new Set(["name", "in", "required", "description", "collectionFormat", "allowEmptyValue"])

/** A parameter of Swagger is its own schema. */
function schemaOf(parameter: Part): Part {
  const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !OF_PARAMETER.has(key)))
  const described = parameter["in"] === "formData" ? about(parameter) : {}
  return { ...schema, ...described, ...(schema["type"] === "file" ? { type: "string", format: "binary" } : {}) }
}

const about = ({ description }: Part): Part => (typeof description === "string" ? { description } : {})
const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : [])
