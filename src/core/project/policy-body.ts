// Defines the complete schema of a policy [T30], for editors and the API's document. core/tool/policy/parse-policy.ts reads it; a test
// checks that both accept the same.

import { z } from "zod"
import { EffectsMode } from "../run/event-parts.ts"
import { recordOf } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"

const MAX_RULES = 500 // limit: entries of a list of the policy, as the document says → 422 at the list
const globs = z.array(z.string().max(200)).max(MAX_RULES)
const rules = {
  profile: z.enum(["minimal", "messaging", "coding", "full"]).exactOptional().describe("A preset of allowed tools."),
  allow: globs.exactOptional().describe("Patterns of additional allowed tools."),
  deny: globs.exactOptional().describe("Patterns of tools that are denied; deny wins over allow."),
}
const Duration = z
  .union([z.number().min(0).max(Number.MAX_SAFE_INTEGER), z.string().max(100)])
  .describe("Milliseconds, or a duration such as `30s`, `5m`, `2h` or `3d`.")
export const ApprovalRule = later(() =>
  z.union([
    z.enum(["never", "always"]),
    z.strictObject({
      kind: z.literal("dynamic").describe("A condition decides."),
      value: z.string().max(2_000).describe("The condition, such as `args.amount > 100`."),
    }),
  ]),
)

export const PolicyBody = later(() =>
  z.strictObject({
    tools: z
      .strictObject({
        ...rules,
        agents: recordOf(z.strictObject(rules), MAX_RULES, z.string().max(100)).exactOptional().describe("Further rules by agent."),
        providers: recordOf(z.strictObject(rules), MAX_RULES, z.string().max(100))
          .exactOptional()
          .describe("Further rules by model provider."),
      })
      .exactOptional()
      .describe("Which tools agents may use."),
    approvals: z
      .strictObject({
        tools: ApprovalRule.exactOptional().describe("When a tool call needs a person's approval."),
        plans: ApprovalRule.exactOptional().describe("When the execution of a plan needs a person's approval."),
        allow_relax: z.boolean().exactOptional().describe("Whether flows and agents may ask for fewer approvals than this."),
        expires: Duration.exactOptional().describe("How long an approval waits for a decision."),
      })
      .exactOptional()
      .describe("When a person must approve."),
    hooks: z
      .strictObject({
        confirm: globs.exactOptional().describe("Patterns of tools whose calls a person confirms."),
        log: globs.exactOptional().describe("Patterns of tools whose calls are marked in the journal."),
        silent: globs.exactOptional().describe("Patterns of tools whose calls are neither confirmed nor marked."),
      })
      .exactOptional()
      .describe("What happens at a tool call."),
    autonomy: z
      .enum(["conservative", "standard", "autonomous"])
      .exactOptional()
      .describe(
        "`conservative`: a person is asked before each call that changes something. `standard`, `autonomous`: only where a rule says so.",
      ),
    denylist: z
      .array(
        z.strictObject({
          tool: z.string().max(200).describe("A pattern of tools."),
          args: z.string().max(1_000).exactOptional().describe("A pattern of their arguments; without it, any arguments."),
          reason: z.string().max(1_000).describe("Why the call is refused; the agent sees it."),
        }),
      )
      .max(MAX_RULES)
      .exactOptional()
      .describe("Calls that are always refused."),
    network: z
      .strictObject({ allow: globs.exactOptional().describe("Patterns of hosts that tools may reach; without it, any public host.") })
      .exactOptional()
      .describe("Where tools may connect to."),
    max_timeout: Duration.exactOptional().describe("The longest timeout of a tool call."),
    effects: z
      .array(
        z.strictObject({
          flows: z.string().max(200).describe("A pattern of flows."),
          mode: EffectsMode.describe(
            "The minimum mode of their runs: `dry` is stricter than `staged`, and `staged` is stricter than `live`.",
          ),
        }),
      )
      .max(MAX_RULES)
      .exactOptional()
      .describe("How runs must treat calls that change something outside."),
  }),
)
