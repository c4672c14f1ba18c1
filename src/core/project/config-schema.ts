// JSON Schemas of the files that configure a tenant [F79], for editors: made from the schemas that check them.

import { z } from "zod"
import type { JsonSchema } from "../json.ts"
import { BudgetSetting } from "../money/budget-setting.ts"
import { GateBody } from "../policy/gate-setting.ts"
import { Registration } from "../tool/http-tool.ts"
import { CallbackBody } from "./callback-body.ts"
import { HookBody } from "./hook-body.ts"
import { McpServerBody } from "./mcp-server-body.ts"
import { OpenApiFile } from "./openapi-import.ts"
import { PolicyBody } from "./policy-body.ts"
import { ProjectFile } from "./project-file.ts"
import { RolesBody } from "./roles-body.ts"
import { ScheduleBody } from "./schedule-body.ts"

const FILES = {
  hook: ["Sluice hook", "hooks/NAME.yaml", HookBody],
  schedule: ["Sluice schedule", "schedules/NAME.yaml", ScheduleBody],
  callback: ["Sluice callback", "callbacks/NAME.yaml", CallbackBody],
  tool: [
    "Sluice tools",
    "tools/NAME.yaml: an HTTP tool (`request`), the operations of an OpenAPI document (`openapi`), or an MCP server (`url`)",
    z.union([Registration, OpenApiFile, McpServerBody]),
  ],
  policy: ["Sluice policy", "policy.yaml", PolicyBody],
  roles: ["Sluice roles", "roles.yaml", RolesBody],
  budget: ["Sluice budget", "budget.yaml", BudgetSetting],
  gate: ["Sluice gate", "gate.yaml", GateBody],
  project: ["Sluice project", "sluice.yaml", ProjectFile],
} as const

export function configSchema(name: keyof typeof FILES): JsonSchema {
  const [title, description, body] = FILES[name]
  // A refinement has no form in JSON Schema; the check has the final say.
  const { $schema: _draft, ...schema } = z.toJSONSchema(body, { target: "draft-7", io: "input", unrepresentable: "any" })
  return { title, description, ...JSON.parse(JSON.stringify(schema)) }
}
