// Lists, makes and revokes API keys.

import { defined } from "../../../src/core/defined.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import { usage } from "../../program.ts"
import { SCOPES } from "../../../src/api/route/route.ts"
import type { NewKey } from "../../../src/api/tenants.ts"
import { listed, removed } from "./shapes.ts"

const keyCreate: Command = {
  name: "keys create",
  says: "create an API key; its text is shown this once",
  options: [
    { flags: "--name <name>", says: "what it is for" },
    { flags: "--scope <scope>", says: "what it may do", many: true },
    { flags: "--expires <time>", says: "when it ends" },
  ],
  examples: ["keys create --name ci --scope catalog:write --scope runs:write --scope runs:read"],
  async run(context, _, given) {
    const scopes = SCOPES.filter((scope) => given.list("scope").includes(scope))
    if (scopes.length === 0 || scopes.length < given.list("scope").length) throw usage(`--scope must be one of ${SCOPES.join(", ")}`)
    const body: NewKey = { scopes, ...defined({ name: given.text("name"), expires: given.text("expires") }) }
    const made = await (await context.client()).keys.create(body)
    context.show(made, () => [made.key ?? "", `  ${made.id}: it is not shown again`])
    return EXIT.ok
  },
}

export const keys: readonly Command[] = [
  listed("keys", "list API keys, without their texts", (client) => client.keys.list(), ["id", "name", "scopes"]),
  keyCreate,
  removed("keys", { verb: "revoke", says: "revoke a key", example: "key_01…", of: (client, id) => client.keys.revoke(id) }),
]
