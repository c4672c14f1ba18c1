// browser.screenshot [T25]: saves the open page as a PNG in the workspace. Like the page itself, the picture is text from outside.

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import type { Tool } from "../../ports/tool.ts"
import { MAX_FILE_BYTES, type Workspace } from "../../ports/workspace.ts"
import { BROWSER_TOOL, browserOf, told } from "./browser-page.ts"
import { pathOf } from "../files/workspace-file.ts"

const FOLDER = "screenshots"

export const browserScreenshot: Tool = {
  ...BROWSER_TOOL,
  name: "browser.screenshot",
  label: "Screenshot",
  description: "Take a screenshot of the open page: a PNG file in the workspace. Answers its path.",
  parameters: {
    type: "object",
    properties: {
      path: {
        type: "string",
        maxLength: MAX_PATH_CHARS,
        description: `Where to put it, ending in .png. Default: a new file in ${FOLDER}/.`,
      },
      full: { type: "boolean", description: "The whole page and not only what is in view (1280 × 800). Default: false." },
    },
    additionalProperties: false,
  },
  effect: "read",
  paths: { write: ["path"] },

  async execute(_callId, params, signal, _onUpdate, powers) {
    const browser = browserOf(powers, "browser.screenshot")
    const path = params["path"] === undefined ? await freePath(powers.workspace) : pathOf(params)
    if (!path.toLowerCase().endsWith(".png")) throw new Error(`${path}: give a path that ends in .png`)
    const refusal = powers.workspace.refusal(path)
    if (refusal !== undefined) throw new Error(refusal)
    const { png, ...seen } = await browser.screenshot(params["full"] === true, signal)
    if (png.byteLength > MAX_FILE_BYTES)
      throw new Error(`the picture has ${png.byteLength} bytes and a file at most ${MAX_FILE_BYTES}: take it without "full"`)
    await powers.workspace.write(path, png)
    return told(seen, powers, `Written: ${path} (${png.byteLength} bytes)`, { path, bytes: png.byteLength })
  },
}

async function freePath(workspace: Workspace): Promise<string> {
  const taken = new Set((await workspace.survey(FOLDER)).map((file) => file.path))
  for (let n = 1; ; n++) if (!taken.has(`${FOLDER}/page-${n}.png`)) return `${FOLDER}/page-${n}.png`
}
