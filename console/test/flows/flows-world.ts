// Flows that the checks of the editor write, and what they do in it.

import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import { retype } from "../retype.ts"
import type { World } from "../world.ts"

/** Two steps, one after another. */
export const flowText = (name: string, more = ""): string => `name: ${name}
description: Looks twice, then writes.
autonomous: false
inputs:
  who: { type: string, required: true, description: Whom it is for }
steps:
  - id: look
    type: agent
    agent: helper
    task: "scene:hello"

  - id: write
    type: agent
    agent: helper
    blockedBy: look
    task: "Write to \${{flow.input.who}}: \${{result.look.summary}}"
${more}`

/** Answers the address of its page. */
export async function putFlow({ url, key }: World, name: string, content = flowText(name)): Promise<string> {
  const answer = await fetch(`${url}/v1/flows/${encodeURIComponent(name)}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/yaml" },
    body: content,
  })
  assert.equal(answer.status, 200, await answer.text())
  return `/console/flows/${encodeURIComponent(name)}`
}

export async function storedFlow({ url, key }: World, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, accept: "application/yaml" }
  return (await fetch(`${url}/v1/flows/${encodeURIComponent(name)}`, { headers })).text()
}

export const replaceText = (page: Page, of: string, words: string): Promise<void> =>
  retype(page.getByRole("textbox", { name: `Text of ${of}` }), words)
