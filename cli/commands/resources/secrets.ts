// Lists and writes the vault's secrets.

import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import { usage } from "../../program.ts"
import { hidden, listed, removed } from "./shapes.ts"

const secretPut: Command = {
  name: "secrets put",
  says: "store a secret under a name, which files mention; it is read from standard input, or asked for",
  words: ["<name>"],
  examples: ["secrets put github < secret.txt", "secrets put github"],
  async run(context, words) {
    const scope = words.text(0)
    const value = await hidden(context, `The value of "${scope}"?`)
    if (value === "") throw usage("the value is read from standard input: sluice secrets put NAME < file")
    await (await context.client()).secrets.put(scope, value)
    context.show({ scope }, () => [`${scope} is written; nobody can read it again`])
    return EXIT.ok
  },
}

export const secrets: readonly Command[] = [
  listed("secrets", "list the names of the vault's secrets, without values", (client) => client.secrets.list(), ["scope"]),
  secretPut,
  removed("secrets", { says: "remove a secret", example: "github", of: (client, id) => client.secrets.delete(id) }),
]
