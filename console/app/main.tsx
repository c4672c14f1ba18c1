// The console: one page that knows its own addresses, on the API alone.

// The order of the layers, and what every page has, come before the styles of pages.
import "./layers.css"
import "../../web/tokens.css"
import "../../web/parts.css"
import "./console.css"
import "./parts/parts.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { Guard } from "./parts/guard.tsx"
import { Console } from "./shell/console.tsx"
import { showTheme } from "./shell/theme.ts"

showTheme()
const root = document.getElementById("app")
if (root)
  createRoot(root).render(
    <StrictMode>
      <Guard of="" what="The console" isPage>
        <Console />
      </Guard>
    </StrictMode>,
  )
