// The console: one page that knows its own addresses, on the API alone.

import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { Console } from "./shell/console.tsx"
import { showTheme } from "./shell/theme.ts"
import "./layers.css"
import "../../web/tokens.css"
import "../../web/parts.css"
import "../../web/chat/chat.css"
import "./console.css"

showTheme()
const root = document.getElementById("app")
if (root)
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  )
