// Generates JSON Schemas of flow and agent files, for completion and first checks in editors. They are generated from the field table,
// which the readers also use [F3], so both know the same keys. Draft 7, because editors support it.
//
// A schema describes only the structure; the check resolves names (targets, agents, templates) and has the final say.

import type { Json, JsonObject, JsonSchema } from "../json.ts"
import { AGENT_FIELDS, COMMON_FIELDS, FLOW_FIELDS, INPUT_FIELDS, keysOf, OUTPUT_FIELDS } from "../flow/parse/field-table.ts"
import { rehearsalSchema, testSchema } from "../case/case-fields.ts"
import { MAX_CASES } from "../case/parse-tests.ts"
import { scorerSchema } from "../score/scorer-fields.ts"
import { defined } from "../defined.ts"
import { KINDS } from "../steps/kinds.ts"
import type { FieldSpec, FieldTable } from "../flow/parse/field-table.ts"

export const DEFINITION_SCHEMAS = ["flow", "agent", "rehearsal", "test", "scorer"] as const
export const SCHEMA_HEAD = { $schema: "http://json-schema.org/draft-07/schema#" }

export function definitionSchema(name: (typeof DEFINITION_SCHEMAS)[number]): JsonSchema {
  const head = SCHEMA_HEAD
  if (name === "rehearsal") return { ...head, ...rehearsalSchema }
  if (name === "test") return { ...head, ...testSchema(MAX_CASES) }
  if (name === "scorer") return { ...head, ...scorerSchema }
  if (name === "agent")
    return { ...head, title: "Sluice agent", description: "The frontmatter of agents/NAME.md.", ...mapping(AGENT_FIELDS) }
  const { properties, ...flow } = mapping(FLOW_FIELDS)
  const steps: JsonObject = { description: about(FLOW_FIELDS["steps"]), type: "array", minItems: 1, items: { $ref: "#/definitions/step" } }
  return {
    ...head,
    title: "Sluice flow",
    description: "flows/NAME.yaml",
    ...flow,
    properties: { ...properties, steps },
    definitions: {
      step: stepSchema(),
      ...Object.fromEntries(Object.entries(KINDS).map(([type, { fields }]) => [type, ownSchema(fields)])),
    },
  }
}

/** The common keys, plus the keys of the step's `type`. A step without a type may use any type's keys [F4]. */
function stepSchema(): JsonObject {
  const types = Object.keys(KINDS)
  const every: FieldTable = Object.assign({}, ...Object.values(KINDS).map((kind) => kind.fields))
  return {
    type: "object",
    properties: { ...propertiesOf(COMMON_FIELDS), type: { description: about(COMMON_FIELDS["type"]), enum: types } },
    required: requiredOf(COMMON_FIELDS),
    allOf: [
      ...types.map((type) => when({ properties: { type: { const: type } }, required: ["type"] }, { $ref: `#/definitions/${type}` })),
      when({ not: { required: ["type"] } }, { properties: propertiesOf(every), propertyNames: namesOf(every) }),
    ],
  }
}

// oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword; nothing awaits this object
const when = (condition: JsonObject, consequence: JsonObject): JsonObject => ({ if: condition, then: consequence })

const ownSchema = (own: FieldTable): JsonObject => ({
  properties: propertiesOf(own),
  ...someRequired(own),
  propertyNames: namesOf(own),
})

const namesOf = (own: FieldTable): JsonObject => ({ enum: [...new Set([...keysOf(COMMON_FIELDS), ...keysOf(own)])] })

interface Mapping extends JsonObject {
  type: "object"
  properties: JsonObject
  additionalProperties: false
}

const mapping = (table: FieldTable): Mapping => ({
  type: "object",
  properties: propertiesOf(table),
  ...someRequired(table),
  additionalProperties: false,
})

const propertiesOf = (table: FieldTable): JsonObject =>
  Object.fromEntries(Object.entries(table).map(([key, spec]) => [key, { description: about(spec), ...shapeOf(spec), ...preset(spec) }]))

const requiredOf = (table: FieldTable): string[] => Object.entries(table).flatMap(([key, spec]) => (spec.required ? [key] : []))

function someRequired(table: FieldTable): { required?: string[] } {
  const required = requiredOf(table)
  return required.length === 0 ? {} : { required }
}

const about = (spec: FieldSpec | undefined): string => (spec ? spec.about.charAt(0).toUpperCase() + spec.about.slice(1) : "")
const preset = ({ fallback }: FieldSpec): JsonObject => defined({ default: fallback })

/** Where text is expected, any scalar is accepted, as written. */
const SCALAR: JsonObject = { type: ["string", "number", "boolean"] }
const manyOf = (item: Json): JsonObject => ({ anyOf: [SCALAR, { type: "array", items: item }] })

function shapeOf(spec: FieldSpec): JsonObject {
  switch (spec.kind) {
    case "text":
    case "template":
    case "step":
    case "agent":
    case "flow":
    case "path":
    case "tool":
      return spec.values ? { enum: [...spec.values] } : SCALAR
    case "integer":
    case "number":
      return { type: spec.kind, ...bound("minimum", spec.least), ...bound("maximum", spec.most) }
    case "flag":
      return { type: "boolean" }
    case "duration":
      return {
        anyOf: [
          { type: "integer", minimum: 1 },
          { type: "string", pattern: "^\\s*\\d{1,15}(ms|s|m|h|d)?\\s*$" },
        ],
      }
    case "texts":
      return spec.values === undefined
        ? manyOf(SCALAR)
        : { anyOf: [{ enum: [...spec.values] }, { type: "array", items: { enum: [...spec.values] } }] }
    case "steps":
    case "model":
      return manyOf(SCALAR)
    case "templates":
      return { type: "object", additionalProperties: SCALAR }
    case "arguments":
      return { type: "object" }
    case "branches":
      return { type: "object", additionalProperties: SCALAR, minProperties: 1 }
    case "outputs":
      return manyOf({ anyOf: [SCALAR, mapping(OUTPUT_FIELDS)] })
    case "inputs":
      return { type: "object", additionalProperties: mapping(INPUT_FIELDS) }
    case "mapping":
      return spec.fields ? mapping(spec.fields) : { type: "object" }
    case "approval":
      return approvalOf(["never", "always"])
    case "approvals":
      return { type: "object", additionalProperties: approvalOf(["never", "always", "default"]) }
    case "list":
      return { type: "array" }
    case "any":
      return {}
  }
}

const approvalOf = (words: string[]): JsonObject => ({
  anyOf: [
    { enum: words },
    {
      type: "object",
      properties: {
        kind: { description: "A condition decides for each call.", const: "dynamic" },
        value: { description: "The condition: where it holds, or cannot be evaluated, a person is asked.", type: "string", minLength: 1 },
      },
      required: ["kind", "value"],
      additionalProperties: false,
    },
  ],
})

const bound = (name: "minimum" | "maximum", value: number | undefined): JsonObject => (value === undefined ? {} : { [name]: value })
