// Light, dark, or as the system is: the choice is this browser's.

const NAME = "sluice-theme"

export type Theme = "system" | "light" | "dark"

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(NAME)
  return chosen === "light" || chosen === "dark" ? chosen : "system"
}

export function showTheme(): void {
  const { dataset } = document.documentElement
  const chosen = chosenTheme()
  if (chosen === "system") delete dataset["theme"]
  else dataset["theme"] = chosen
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, theme)
  showTheme()
}

export function changeTheme(): void {
  const { dataset } = document.documentElement
  const isDark = (dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
  chooseTheme(isDark ? "light" : "dark")
}
