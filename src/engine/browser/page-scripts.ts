// Inspects a page with scripts in an isolated world: the page's scripts cannot see them or their definitions, nor replace the functions
// they call. They are texts, not functions, because a bundler adds its own names to functions.

/** Each script is an expression: a function applied to one JSON argument. */
const call = (body: string, argument: unknown): string => `(${body})(${JSON.stringify(argument).replaceAll("\u2028", "\\u2028")})`

const SHOWN = `
  const shown = (e) => { const r = e.getBoundingClientRect(), s = getComputedStyle(e)
    return r.width > 0 && r.height > 0 && s.visibility !== "hidden" && s.display !== "none" }
  const plain = (t) => String(t ?? "").replace(/\\s+/g, " ").trim()
  const labelOf = (e) => plain(e.getAttribute("aria-label")) || plain(e.labels?.[0]?.innerText) || plain(e.innerText) ||
    (["submit", "button", "reset"].includes(e.type) ? plain(e.value) : "") || plain(e.placeholder) || plain(e.title) || plain(e.alt) || plain(e.name)`

const CONTROLS = `"a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=true],[role=button],[role=link],[role=tab],[role=menuitem],[role=checkbox],[role=radio],[role=option],[role=textbox],[onclick]"`

export interface Wanted {
  readonly selector?: string
  readonly label?: string
}

/** → `{fault}`, or the element's center after scrolling it into view, and its tag, type and state. */
export const find = (wanted: Wanted): string =>
  call(
    `({selector, label}) => { ${SHOWN}
      let all
      if (selector !== undefined) {
        try { all = [...document.querySelectorAll(selector)] } catch { return { fault: "is not a valid CSS selector" } }
        if (all.length === 0) return { fault: "matches nothing on the page" }
      } else {
        const wanted = plain(label).toLowerCase(), named = [...document.querySelectorAll(${CONTROLS} + ",label")].filter(shown)
        all = named.filter((e) => labelOf(e).toLowerCase() === wanted)
        if (all.length === 0) all = named.filter((e) => wanted !== "" && labelOf(e).toLowerCase().includes(wanted))
        if (all.length === 0) return { fault: "labels no link, button or field on the page" }
      }
      const e = all.find(shown)
      if (!e) return { fault: "matches nothing visible" }
      e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
      const r = e.getBoundingClientRect()
      const x = Math.min(Math.max(r.left + r.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(r.top + r.height / 2, 0), innerHeight - 1)
      const top = document.elementFromPoint(x, y)
      const covered = top && top !== e && !e.contains(top) && !top.contains(e) && ![...(e.labels ?? [])].some((l) => l.contains(top))
      const name = (n) => n.tagName.toLowerCase() + (n.id ? "#" + n.id : "")
      return { x, y, tag: e.tagName.toLowerCase(), type: e.type ?? "", disabled: e.disabled === true, ...(covered ? { covered: name(top) } : {}) }
    }`,
    wanted,
  )

/** Focuses a field, with its content selected or the cursor at its end; a select is set directly. → `{fault}` or `{done}`. */
export const focus = (wanted: Wanted & { readonly text: string; readonly append: boolean }): string =>
  call(
    `({selector, label, text, append}) => { ${SHOWN}
      const named = () => { const wanted = plain(label).toLowerCase(), all = [...document.querySelectorAll("input,select,textarea,[contenteditable=true],[role=textbox]")].filter(shown)
        return all.find((e) => labelOf(e).toLowerCase() === wanted) ?? all.find((e) => labelOf(e).toLowerCase().includes(wanted)) }
      const e = selector !== undefined ? [...document.querySelectorAll(selector)].find(shown) : named()
      if (!e) return { fault: "matches no visible field" }
      if (e.disabled || e.readOnly) return { fault: "cannot be typed into: it is disabled or read-only" }
      if (e.tagName === "SELECT") {
        const o = [...e.options].find((o) => o.value === text || plain(o.text) === plain(text))
        if (!o) return { fault: "has no such option; its options: " + [...e.options].slice(0, 50).map((o) => plain(o.text)).join(", ") }
        e.value = o.value
        e.dispatchEvent(new Event("input", { bubbles: true }))
        e.dispatchEvent(new Event("change", { bubbles: true }))
        return { done: "chosen" }
      }
      if (e.tagName === "INPUT" && ["checkbox", "radio", "button", "submit", "reset", "image", "file", "range", "color"].includes(e.type))
        return { fault: e.type === "file" ? "takes a file: uploading files is not supported" : "is not a text field: use browser.click" }
      if (e.tagName !== "INPUT" && e.tagName !== "TEXTAREA" && !e.isContentEditable) return { fault: "is not a field" }
      e.focus()
      if (!append && e.select) e.select()
      else if (e.isContentEditable) { const s = getSelection(); s.selectAllChildren(e); if (append) s.collapseToEnd() }
      else try { e.setSelectionRange(e.value.length, e.value.length) } catch {}
      return { done: "focused" }
    }`,
    wanted,
  )

/** → `{fault}` or `{body, cut}`. */
export const content = (wanted: { readonly as: "html" | "text" | "controls"; readonly selector?: string; readonly most: number }): string =>
  call(
    `({as, selector, most}) => { ${SHOWN}
      let root = document.documentElement
      if (selector !== undefined) {
        try { root = document.querySelector(selector) } catch { return { fault: "is not a valid CSS selector" } }
        if (!root) return { fault: "matches nothing on the page" }
      }
      if (!root) return { body: "", cut: false }
      let body
      if (as === "html") body = root.outerHTML
      else if (as === "text") body = root.innerText ?? root.textContent ?? ""
      else {
        const quote = (t) => '"' + String(t).replace(/["\\\\]/g, "\\\\$&") + '"'
        const pathOf = (e) => {
          if (e.id && document.querySelectorAll("#" + CSS.escape(e.id)).length === 1) return "#" + CSS.escape(e.id)
          const tag = e.tagName.toLowerCase(), byName = e.getAttribute("name") && tag + "[name=" + quote(e.getAttribute("name")) + "]"
          if (byName && document.querySelectorAll(byName).length === 1) return byName
          const parts = []
          for (let n = e; n && n !== document.documentElement; n = n.parentElement) {
            if (n !== e && n.id) { parts.unshift("#" + CSS.escape(n.id)); break }
            const same = n.parentElement ? [...n.parentElement.children].filter((c) => c.tagName === n.tagName) : [n]
            parts.unshift(n.tagName.toLowerCase() + (same.length > 1 ? ":nth-of-type(" + (same.indexOf(n) + 1) + ")" : ""))
          }
          return parts.join(" > ")
        }
        const within = root === document.documentElement ? document : root
        body = [...within.querySelectorAll(${CONTROLS})].filter(shown).slice(0, 500).map((e) => {
          const tag = e.tagName.toLowerCase(), kind = tag === "input" ? "input " + e.type : e.getAttribute("role") ?? tag
          const value = tag === "input" && e.type === "password" ? "" : tag === "select" ? plain(e.selectedOptions[0]?.text) : ["checkbox", "radio"].includes(e.type) ? (e.checked ? "on" : "off") : ["input", "textarea"].includes(tag) ? e.value : ""
          return pathOf(e) + "  [" + kind + "] " + quote(labelOf(e)) + (value ? " = " + JSON.stringify(String(value)) : "") + (e.disabled ? " (disabled)" : "")
        }).join("\\n")
      }
      return { body: body.slice(0, most), cut: body.length > most }
    }`,
    wanted,
  )

/** The size of the whole page. */
export const SIZE =
  "({ width: Math.max(document.documentElement.scrollWidth, innerWidth), height: Math.max(document.documentElement.scrollHeight, innerHeight) })"

/** Runs in each document before its own scripts and removes APIs that send data without requests. A second line of defense: the first
 *  is the policy added to each document. */
export const WITHOUT =
  'for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocket", "WebSocketStream", "Worker", "SharedWorker"]) delete globalThis[name]; delete Navigator.prototype.serviceWorker'
