// Detects whether a pressed key goes into a text, so that no shortcut takes it: a field, an editable element, or an editor in a shadow
// root; and whether it leads to a row of an open list or menu. Outside a shadow root, a listener sees only the host as the event's target.

/** Kinds of `input` that take no text: letters pressed on them are keys of the page. */
const NO_TEXT: ReadonlySet<string> = new Set(["range", "checkbox", "radio", "button", "submit", "reset", "image", "file", "color"])

const TEXT_ROLES: ReadonlySet<string> = new Set(["textbox", "searchbox", "combobox", "spinbutton", "listbox", "menu"])

/** The properties of an element that are checked. */
export interface Holder {
  readonly localName: string
  getAttribute(name: string): string | null
}

/** The properties of a `KeyboardEvent` that are checked. */
export interface Pressed {
  /** A word is being put together by an input method. */
  readonly isComposing: boolean
  composedPath(): readonly unknown[]
}

/** Checks the focused element, also inside open shadow roots, and its ancestors: a button inside an editor counts as the editor. */
export const isTyping = (event: Pressed): boolean =>
  event.isComposing || event.composedPath().some((one) => isHolder(one) && holdsText(one))

function holdsText(holder: Holder): boolean {
  switch (holder.localName) {
    case "input":
      return !NO_TEXT.has((holder.getAttribute("type") ?? "text").toLowerCase())
    case "textarea":
    case "select":
      return true
    default:
      return isEditable(holder.getAttribute("contenteditable")) || TEXT_ROLES.has(holder.getAttribute("role") ?? "")
  }
}

/** `contenteditable` alone and an unknown value mean: as the element around it, or yes. A frame's whole document may be edited too. */
const isEditable = (said: string | null): boolean => said !== null && said.toLowerCase() !== "false" && said.toLowerCase() !== "inherit"

/** The path also holds shadow roots, the document and the window. */
const isHolder = (one: unknown): one is Holder =>
  typeof one === "object" && one !== null && "localName" in one && "getAttribute" in one && typeof one.getAttribute === "function"
