// `sluice completion`: made from the same list as everything else, so it is read when it runs.

import type { Command } from "../command.ts"
import { completion as scriptOf, SHELLS } from "../completion.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"

export const completion = (commands: () => readonly Command[]): Command => ({
  name: "completion",
  says: `print a completion script: ${SHELLS.join(", ")}`,
  words: ["<shell>"],
  examples: ["completion bash", "completion zsh", "completion fish > ~/.config/fish/completions/sluice.fish"],
  offline: true,
  async run(context, words) {
    const shell = SHELLS.find((name) => name === words.text(0))
    if (shell === undefined) throw usage(`there is no completion for "${words.text(0)}": write ${SHELLS.join(", ")}`)
    context.world.out.write(scriptOf(shell, commands()))
    return EXIT.ok
  },
})
