// Prints and replaces the table of prices.

import { plain } from "../../../local/show-run.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import { bodyIn } from "./shapes.ts"

const priceList: Command = {
  name: "prices list",
  group: "prices of models",
  says: "print the price table: dollars per million tokens",
  examples: ["prices list"],
  async run(context) {
    const prices = await (await context.client()).settings.prices.get()
    context.show(prices, () => Object.entries(prices).map(([model, price]) => plain(`${model}  ${JSON.stringify(price)}`)))
    return EXIT.ok
  },
}

const pricePut: Command = {
  name: "prices put",
  says: "replace the price table with a file",
  words: ["<file>"],
  examples: ["prices put prices.yaml"],
  async run(context, words) {
    const client = await context.client()
    const prices = await client.settings.prices.put(
      (await bodyIn(context, words.text(0))) as Parameters<typeof client.settings.prices.put>[0],
    )
    context.show(prices, () => [`${Object.keys(prices).length} prices`])
    return EXIT.ok
  },
}

export const prices: readonly Command[] = [priceList, pricePut]
