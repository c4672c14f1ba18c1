// /console/inbox: what runs ask. /console/inbox/effects: what they have changed outside, or would.

import { EffectsPage } from "../effects/effects-page.tsx"
import type { PlaceProps } from "../shell/place-props.ts"
import { AsksPage } from "./asks-page.tsx"

export function InboxPlace({ api, rest }: PlaceProps) {
  return rest[0] === "effects" ? <EffectsPage api={api} rest={rest.slice(1)} /> : <AsksPage api={api} rest={rest} />
}
