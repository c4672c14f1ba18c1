// Lists, writes and tries providers of models.

import { plain } from "../../../local/show-run.ts"
import { defined } from "../../../src/core/defined.ts"
import type { Command, Option } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import type { Provider } from "../../../src/api/settings.ts"
import type { ProviderTestResult } from "../../../src/api/doc/settings.doc.ts"
import { bodyIn, FILE, hidden, listed, removed } from "./shapes.ts"

const FORCE: Option = { flags: "--force", says: "even if something refers to it" }

const providerPut: Command = {
  name: "providers put",
  says: "replace a provider of models; its key comes from the file, or from standard input",
  words: ["<name>"],
  options: [FILE, { flags: "--kind <kind>", says: "the provider's kind; by default its name" }],
  examples: ["providers put anthropic < key.txt", "providers put house --file provider.yaml"],
  async run(context, words, given) {
    const file = given.text("file")
    const kind = given.text("kind") ?? words.text(0)
    const body =
      file === undefined ? { kind, apiKey: (await hidden(context, "The provider's API key?")).trim() } : await bodyIn(context, file)
    const row = await (await context.client()).settings.providers.put(words.text(0), body as unknown as Provider)
    context.show(row, () => [`${words.text(0)} is written; try it: sluice providers test ${words.text(0)}`])
    return EXIT.ok
  },
}

const providerTest: Command = {
  name: "providers test",
  says: "ask a provider for one word; the call may be billed",
  words: ["<name>", "[model]"],
  examples: ["providers test anthropic"],
  async run(context, words) {
    const model = words.maybe(1)
    const found = await (await context.client()).settings.providers.test(words.text(0), defined({ model }))
    context.show(found, () => [testedLine(found)])
    return found.ok ? EXIT.ok : EXIT.failed
  },
}

function testedLine({ ok, provider, model, host, status, message, ms, usage: used }: ProviderTestResult): string {
  const where = host === null ? "" : ` at ${plain(host)}`
  const how = status === undefined ? "" : ` (${status})`
  const tokens = used === undefined ? "" : `, ${used.input} tokens in and ${used.output} out`
  return `${ok ? "ok  " : "FAIL"}  ${plain(provider)}/${plain(model)}${where}${how}, ${ms} ms${tokens}${message === "" ? "" : `: ${plain(message)}`}`
}

export const providers: readonly Command[] = [
  listed("providers", "list providers, without their keys", (client) => client.settings.providers.list(), ["name", "kind"]),
  providerPut,
  providerTest,
  removed("providers", {
    says: "remove a provider",
    example: "anthropic",
    options: [FORCE],
    of: (client, id, force) => client.settings.providers.delete(id, force ? { force } : {}),
  }),
]
