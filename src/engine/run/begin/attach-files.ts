// Reads the pictures and PDFs that a model is to be shown [F56], through the agent's own view of the workspace [G7]. A file's bytes decide
// its type. Only names and figures are returned: the bytes are read again when a request needs them.

import { readMedia, type Media } from "../../../core/media/media.ts"
import type { Attachment } from "../../../core/run/event-parts.ts"
import { attachmentOf, MAX_ATTACHED, MAX_ATTACHED_BYTES, type Unseen } from "../../../core/run/session/files/attachment.ts"
import type { Workspace } from "../../../ports/workspace.ts"
import { pagesOf } from "../pdf-pages.ts"

export interface Attached {
  readonly attached: readonly Attachment[]
  readonly unseen: readonly Unseen[]
}

interface AttachParts {
  readonly workspace: Workspace
  /** Tokens that the model takes in all. */
  readonly window: number
}

/** The attachments in the given order, up to the limits of a request. */
export async function attachFiles(paths: readonly string[], { workspace, window }: AttachParts): Promise<Attached> {
  const attached: Attachment[] = []
  const unseen: Unseen[] = []
  let left = MAX_ATTACHED_BYTES
  for (const path of paths) {
    const entry = await workspace.stat(path)
    if (!entry) {
      unseen.push({ path, why: "it does not exist, or this agent may not read it" })
      continue
    }
    workspace.named([entry])
    if (attached.length === MAX_ATTACHED || entry.size > left) {
      const most = attached.length === MAX_ATTACHED ? `${MAX_ATTACHED} files` : `${MAX_ATTACHED_BYTES} bytes of files`
      unseen.push({ path, why: `a model is shown at most ${most} at once: read it to look at it` })
      continue
    }
    const body = await workspace.read(path)
    const media = body && mediaIn(body)
    const made = attachmentOf({ ...entry, media }, window)
    if (!made.ok) unseen.push({ path, why: made.error })
    else {
      attached.push(made.value)
      left -= entry.size
    }
  }
  return { attached, unseen }
}

/** A PDF that packs its page objects is unpacked to count them. */
function mediaIn(body: Uint8Array): Media | undefined {
  const media = readMedia(body)
  if (media?.type !== "application/pdf" || media.pages !== undefined) return media
  const pages = pagesOf(body)
  return pages === undefined ? media : { ...media, pages }
}
