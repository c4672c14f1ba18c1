// Lists, makes and removes tenants, with the instance's admin key.

import { defined } from "../../../src/core/defined.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import type { NewTenant } from "../../../src/api/tenants.ts"
import { JURISDICTIONS } from "../../../src/api/tenants.ts"
import { listed, removed } from "./shapes.ts"

const tenantCreate: Command = {
  name: "tenants create",
  says: "create a tenant; needs the instance's admin key",
  words: ["<id>"],
  options: [
    { flags: "--name <name>", says: "its name" },
    { flags: "--jurisdiction <place>", says: "where its data stays", choices: JURISDICTIONS },
  ],
  examples: ["tenants create acme --key $ADMIN_KEY"],
  async run(context, words, given) {
    const jurisdiction = JURISDICTIONS.find((one) => one === given.text("jurisdiction"))
    const body: NewTenant = { id: words.text(0), ...defined({ name: given.text("name"), jurisdiction }) }
    const made = await (await context.client()).tenants.create(body)
    context.show(made, () => [`${made.id} is created`])
    return EXIT.ok
  },
}

export const tenants: readonly Command[] = [
  listed("tenants", "list tenants; needs the instance's admin key", (client) => client.tenants.list(), ["id", "name"]),
  tenantCreate,
  removed("tenants", { says: "delete a tenant with everything it has", example: "acme", of: (client, id) => client.tenants.delete(id) }),
]
