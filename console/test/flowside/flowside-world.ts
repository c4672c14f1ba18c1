// What the panes beside the editor meet: flows of their own with tests and runs, and a draft that is not saved.

import type { Page } from "playwright-core"
import type { World } from "../world.ts"

export interface FlowWorld {
  /** Writes files of the catalog; the revision. */
  write(files: { readonly flows?: Readonly<Record<string, string>>; readonly agents?: Readonly<Record<string, string>> }): Promise<number>
  /** Starts so many runs of the flow and waits until they are over. */
  run(flow: string, times: number): Promise<readonly string[]>
  /** The text as it is stored. */
  text(path: string): Promise<string>
}

export function flowWorld({ url, key, api }: World): FlowWorld {
  return {
    async write(files) {
      return ((await api("PATCH", "/v1/catalog", files)) as { readonly revision: number }).revision
    },
    async run(flow, times) {
      const ids = await Promise.all(
        Array.from({ length: times }, async (_, at) => {
          const { id } = (await api("POST", `/v1/flows/${flow}/runs`, { task: `Ticket ${at + 1}. scene:hello` })) as { readonly id: string }
          return id
        }),
      )
      for (const id of ids)
        for (;;) {
          const { status } = (await api("GET", `/v1/runs/${id}`)) as { readonly status: string }
          if (status === "succeeded") break
          if (status === "failed") throw new Error(`${id} of ${flow} has failed`)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      // The list of runs hears of an end a moment later.
      for (;;) {
        const { data } = (await api("GET", `/v1/runs?flow=${flow}&status=succeeded`)) as { readonly data: readonly unknown[] }
        if (data.length >= times) return ids
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async text(path) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}`, accept: "application/yaml, text/*" } })
      return answer.ok ? answer.text() : `${answer.status}`
    },
  }
}

/** Puts a text into the editor as one that was left there unsaved, and opens the page with it. */
export async function withDraft(page: Page, flow: string, text: string): Promise<void> {
  await page.evaluate(
    ([name, kept]) => sessionStorage.setItem(name ?? "", kept ?? ""),
    [`draft flow ${flow}`, JSON.stringify({ text, from: null })],
  )
  await page.reload()
}
