// JSON Schemas of the files that configure a tenant [F79], for editors: made from the schemas that check them.

import { z } from "zod"
import type { JsonSchema } from "../json.ts"
import { Amount } from "../money/amount.ts"
import { GateBody } from "../policy/gate-setting.ts"
import { POLICY_FIELDS } from "../policy/parse-policy.ts"
import { HookBody } from "./hook-body.ts"
import { RolesBody } from "./roles-body.ts"
import { ScheduleBody } from "./schedule-body.ts"

/** The policy has a reader of its own, which knows what may stand in each field. */
const PolicyFile = z.strictObject(Object.fromEntries(POLICY_FIELDS.map((field) => [field, z.json().exactOptional()])))

const FILES = {
  hook: ["Sluice hook", "hooks/NAME.yaml", HookBody],
  schedule: ["Sluice schedule", "schedules/NAME.yaml", ScheduleBody],
  policy: ["Sluice policy", "policy.yaml", PolicyFile],
  roles: ["Sluice roles", "roles.yaml", RolesBody],
  budget: ["Sluice budget", "budget.yaml", Amount],
  gate: ["Sluice gate", "gate.yaml", GateBody],
} as const

export function configSchema(name: keyof typeof FILES): JsonSchema {
  const [title, description, body] = FILES[name]
  // A refinement has no form in JSON Schema; the check has the final say.
  const { $schema: _draft, ...schema } = z.toJSONSchema(body, { target: "draft-7", io: "input", unrepresentable: "any" })
  return { title, description, ...JSON.parse(JSON.stringify(schema)) }
}
