// `sluice verify`: the kernel comes with it, which no other command needs, so it is loaded here and only then.

import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"

export const verify: Command = {
  name: "verify",
  says: "check a receipt; keys from the instance, or from a saved key set without a server",
  words: ["<file>"],
  options: [{ flags: "--keys <file>", says: "a saved /.well-known/sluice-keys.json" }],
  examples: ["verify receipt.jsonl", "verify receipt.jsonl --keys sluice-keys.json"],
  async run(context, words, given) {
    const { verifyFile } = await import("./verify-receipt.ts")
    const keys = given.text("keys")
    const found = await verifyFile(
      () => context.openClient(),
      context.file(words.text(0)),
      keys === undefined ? undefined : context.file(keys),
    )
    const { valid, line, failed } = found
    context.show({ valid, line: line ?? null, failed }, () => found.says)
    return valid ? EXIT.ok : EXIT.failed
  },
}
